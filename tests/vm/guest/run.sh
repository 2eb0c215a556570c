# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# Inside the virtual machine: runs tests, with the name of each before its cases. What went wrong,
# also where nothing but an exit status says so, becomes a case that failed.
#
#   sh tests/vm/guest/run.sh TEST…

for test; do
	name=$(basename "$test" .sh)
	/bin/timeout 1200 /bin/sh "$test" >/tmp/out 2>/tmp/err </dev/null
	status=$?
	sed "s/^\(\(not \)\{0,1\}ok - \)/\1$name: /; /^SKIP/d" /tmp/out
	if [ $status -eq 77 ]; then
		echo "ok - $name # $(tail -n 1 /tmp/out)"
	elif ! grep -q '^\(not \)\{0,1\}ok' /tmp/out || { [ $status -ne 0 ] && ! grep -q '^not ok' /tmp/out; }; then
		echo "not ok - $name: ended with status $status"
	fi
	if [ $status -ne 77 ] && [ $status -ne 0 ]; then
		sed 's/^/# /' /tmp/err
	fi
	read -r up _ </proc/uptime
	echo "# $name: up $up s"
done
