#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# limpet serve --mail: a real sendmail (msmtp) gives what it gets to a real SMTP server (aiosmtpd), and Python reads the mails.
# waits: for a server to limp, and to limp no more
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

D=$T/state HOSTS=5
serve_needs
command -v msmtp >/dev/null && /usr/bin/python3 -c 'import aiosmtpd' 2>/dev/null || all_skip "needs msmtp and python3-aiosmtpd (tools/deps check)"
SMTP=$(serve_port)
mkdir -p "$T/bin" "$T/mails"
cat >"$T/smtpd.py" <<'END'
import asyncio, sys
from aiosmtpd.controller import UnthreadedController

class Keep:
    n = 0
    async def handle_DATA(self, server, session, envelope):
        self.n += 1
        with open(f"{sys.argv[2]}/{self.n}", "wb") as f:
            f.write(b"X-To: " + ",".join(envelope.rcpt_tos).encode() + b"\n" + envelope.content)
        return "250 kept"

loop = asyncio.new_event_loop()
UnthreadedController(Keep(), hostname="127.0.0.1", port=int(sys.argv[1]), loop=loop).begin()
loop.run_forever()
END
/usr/bin/python3 "$T/smtpd.py" "$SMTP" "$T/mails" >"$T/smtpd.log" 2>&1 &
at_exit "end_child $!"
printf 'account default\nhost 127.0.0.1\nport %s\nfrom limpet@site.example\n' "$SMTP" >"$T/.msmtprc"
chmod 600 "$T/.msmtprc"
ln -s "$(command -v msmtp)" "$T/bin/sendmail"
export HOME=$T PATH=$T/bin:$PATH
# FIELD… of mail N, as Python reads it; body: its text
mail() {
	/usr/bin/python3 - "$@" <<'END'
import email, email.policy, sys
with open(sys.argv[1], "rb") as f:
    m = email.message_from_binary_file(f, policy=email.policy.default)
assert not m.defects, m.defects
for field in sys.argv[2:]:
    sys.stdout.write(m.get_content() if field == "body" else f"{m[field]}\n")
END
}
mails() { [ "$(find "$T/mails" -type f | wc -l)" -ge "$1" ]; }
tell() { serve --mail ops@site.example --mail on-call@site.example --site here --url http://limpet.example:9812 --alert-interval 0 "$@"; }

case_begin "a server that limps is a mail to each address: who and why in the subject, evidence, commands and a link in the text"
feed 400 100 1.6 75
within 20 recorded_all
tell "$T/recorded"
if within 100 mails 1; then
	id=$(curl -s "http://$METRICS/api/v1/incidents" | jq -r '.incidents[0].id')
	mail "$T/mails/1" body >"$T/body"
	check_eq "$(mail "$T/mails/1" X-To To Auto-Submitted References | tr '\n' '|')" \
		"ops@site.example,on-call@site.example|ops@site.example, on-call@site.example|auto-generated|<limpet.$id@$(hostname)>|" 'headers' &&
		check_eq "$(mail "$T/mails/1" Subject | grep -c '^\[limpet here\] s3 limps: ')" 1 "subject ($(mail "$T/mails/1" Subject))" &&
		check_eq "$(head -n 1 "$T/body" | cut -c1-10)" 's3 limps: ' 'first line' &&
		check_eq "$(mail "$T/mails/1" Message-ID | grep -c "^<limpet\.$id\.[0-9a-f]*@")" 1 'its own number' && grep -q '^- .* peers .* (evidence .* needed)' "$T/body" &&
		grep -q '^What may help' "$T/body" &&
		check_eq "$(tail -n 1 "$T/body")" "http://limpet.example:9812/incidents/$id" 'link' && ok
else
	fail "$(cat "$T/smtpd.log" "$T/serve.log")"
fi

case_begin "killed and started again it sends nothing twice; when the server limps no more it sends one that refers to what the first refers to"
killed
tell "$T/recorded"
if within 150 mails 2; then
	check_eq "$(mail "$T/mails/2" Subject | cut -c1-24)$(mail "$T/mails/2" References)" "[limpet here] s3 limped:<limpet.$id@$(hostname)>" "the second mail ($(mail "$T/mails/2" Subject))" &&
		check_eq "$(cat "$T/mails/"[12] | grep -c '^Message-ID: <limpet') $(cat "$T/mails/"[12] | grep '^Message-ID: <limpet' | sort -u | wc -l)" '2 2' 'numbers of their own' && ok
else
	fail "$(cat "$T/smtpd.log" "$T/serve.log") $(tail -n 2 "$T/events" | cut -c1-200)"
fi
kill -TERM "$SERVE"
wait "$SERVE"

case_begin "what is no address, or a machine without a sendmail, is said at the start, and by --check"
bad=''
for address in '' -oQ/etc 'a b@c' 'a@b,c@d' 'a@b"' "$(printf 'a@b\nBcc: c@d')" 'é@b'; do
	"$L" serve --check --state "$T/other" --ingest "$INGEST" --mail "$address" >"$T/out" 2>&1 && bad+="$address: taken "
	grep -q 'is no address for mail\|must not be empty\|is empty' "$T/out" || bad+="$address: $(cat "$T/out") "
done
PATH=/nowhere "$L" serve --check --state "$T/other" --ingest "$INGEST" --mail a@b >"$T/out" 2>&1
check_eq "$? $bad" '1 ' "status ($(cat "$T/out"))" && grep -q 'no sendmail is in PATH' "$T/out" && ok

case_begin "a sendmail that fails is said once, and the judge goes on"
printf '#!/bin/sh\nexit 75\n' >"$T/failing" && chmod +x "$T/failing" && ln -sf "$T/failing" "$T/bin/sendmail"
D=$T/failed
tell tests/data/disk-hog/series
failed() { grep -q "cannot alert: '$T/bin/sendmail' ended with status 75 (said once)" "$T/serve.log"; }
if within 60 failed; then
	check_eq "$(curl -s "http://$METRICS/api/v1/incidents" | jq -r '.incidents[0].server')" oss-s3 'incidents' && ok
else
	fail "$(cat "$T/serve.log")"
fi
