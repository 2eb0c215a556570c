// SPDX-License-Identifier: BSD-2-Clause
/* userspace/push: whatever a receiver answers is refused, or says only what answer.h lets it say; and so does a line of enrolment. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "userspace/common/text_clean.h"
#include "userspace/push/answer.h"
#include "userspace/fetch/receiver.h"

static void check_line(const uint8_t *data, size_t size)
{
	char line[2048], why[WHY_LEN];
	struct receiver r;

	size = size < sizeof(line) ? size : sizeof(line) - 1;
	memcpy(line, data, size);
	line[size] = '\0';
	if (receiver_of_line(&r, line, why)) {
		MUST(*why);
		return;
	}
	MUST(!strncmp(r.url, "https://", 8) && r.url[strlen(r.url) - 1] != '/');
	MUST(strlen(r.pin) == EXCHANGE_PIN_LEN && strlen(r.token) == EXCHANGE_TOKEN_LEN);
	MUST(!strpbrk(r.url, " \r\n#?@\\") && !strpbrk(r.token, " \r\n") &&
	     !strpbrk(r.pin, " \r\n;"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answer a;
	struct answer_log log;
	char clean[WHY_LEN];
	int got = 1;

	fuzz_begin();
	check_line(data, size);
	if (answer_read(&a, (const char *)data, size))
		return 0;
	MUST(a.live_ns >= -1 && a.wait_ms <= EXCHANGE_WAIT_MAX_MS);
	MUST(a.cursor.kept >= 0 && a.cursor.boot >= 0 && a.cursor.device >= 0 &&
	     a.cursor.metric >= 0 && a.cursor.stack >= 0 && a.cursor.user_stack >= 0);
	MUST(strlen(a.token) == 0 || strlen(a.token) == EXCHANGE_TOKEN_LEN);
	strcpy(clean, a.error);
	MUST(!strcmp(text_clean(clean), a.error));
	for (size_t n = 0; got > 0; n++) {
		MUST(n <= size);
		got = answer_log(&a, &log);
		MUST(got != 1 || (log.size >= 0 && log.path.at && log.identity.at));
		MUST(got >= 0 || got == -EBADMSG);
	}
	return 0;
}
