#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What senders bring to `limpet serve`, and what others do who reach its port, while good senders are answered all the time.
# waits: most of it is about time limits
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

for need in python3 openssl; do
	command -v "$need" >/dev/null || all_skip "needs $need (tools/deps check)"
done
[ -x "$O/tests/ingest_box" ] || all_skip "'$O/tests/ingest_box' is not built (make all)"

(
	cd "$T" || exit
	newkey() {
		name=$1
		shift
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$name.key" "$@"
	}
	newkey ca -x509 -out ca.pem -days 2 -subj /CN=ca
	for name in crt-1.site.example crt-2.site.example; do
		printf 'subjectAltName=DNS:%s\n' "$name" >ext
		newkey "$name" -out csr -subj /CN=other
		openssl x509 -req -in csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out "$name.pem"
	done
	newkey self -x509 -out self.pem -days 2 -subj /CN=crt-1 -addext subjectAltName=DNS:crt-1.site.example
) >"$T/openssl.log" 2>&1

python3 "$(dirname "$0")/ingest_client.py" "$O/tests/ingest_box" "$T" || lib_failed=1
