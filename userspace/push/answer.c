// SPDX-License-Identifier: BSD-2-Clause
/* What a receiver answers: see answer.h. */
#include "answer.h"

#include <errno.h>
#include <stdio.h>

#include "userspace/common/clock.h"
#include "userspace/common/text_clean.h"

/* The year 2200: what is later no clock of a receiver says. */
#define LATEST_NS (INT64_C(7258118400) * NS_PER_S)
#define ABSENT	  INT64_MIN

struct answer_fields {
	int64_t live, kept, boot, device, metric, stack, user_stack, wait_ms;
	struct json_part token, error, logs;
};

static const struct json_field fields[] = {
	JSON_FIELD("live", INT, struct answer_fields, live),
	JSON_FIELD("kept", INT, struct answer_fields, kept),
	JSON_FIELD("boot", INT, struct answer_fields, boot),
	JSON_FIELD("device", INT, struct answer_fields, device),
	JSON_FIELD("metric", INT, struct answer_fields, metric),
	JSON_FIELD("stack", INT, struct answer_fields, stack),
	JSON_FIELD("user_stack", INT, struct answer_fields, user_stack),
	JSON_FIELD("wait_ms", INT, struct answer_fields, wait_ms),
	JSON_FIELD("token", STRING, struct answer_fields, token),
	JSON_FIELD("error", STRING, struct answer_fields, error),
	JSON_FIELD("logs", VALUE, struct answer_fields, logs),
	JSON_FIELDS_END,
};

static bool answer_may(int64_t v, int64_t most)
{
	return v == ABSENT || (v >= 0 && v <= most);
}

static bool answer_is_token(const char *token)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

	return strlen(token) == EXCHANGE_TOKEN_LEN && strspn(token, letters) == EXCHANGE_TOKEN_LEN;
}

int answer_read(struct answer *a, const char *text, size_t len)
{
	struct answer_fields f = {.live = ABSENT,
				  .kept = ABSENT,
				  .boot = ABSENT,
				  .device = ABSENT,
				  .metric = ABSENT,
				  .stack = ABSENT,
				  .user_stack = ABSENT,
				  .wait_ms = ABSENT};
	struct json_scan j = json_scan(text, len);

	*a = (struct answer){.live_ns = -1};
	if (!scan_fields(&j, fields, &f) || !scan_end(&j))
		return -EBADMSG;
	if (!answer_may(f.live, LATEST_NS) || !answer_may(f.kept, INT64_MAX - 1) ||
	    !answer_may(f.boot, INT64_MAX - 1) || !answer_may(f.device, INT64_MAX - 1) ||
	    !answer_may(f.metric, INT64_MAX - 1) || !answer_may(f.stack, INT64_MAX - 1) ||
	    !answer_may(f.user_stack, INT64_MAX - 1) || !answer_may(f.wait_ms, INT64_MAX))
		return -EBADMSG;
	a->live_ns = f.live == ABSENT ? -1 : f.live;
	/* All of them, or the copy would begin somewhere else. */
	if (f.kept > 0 && f.boot >= 0 && f.device >= 0 && f.metric >= 0 && f.stack >= 0 &&
	    f.user_stack >= 0)
		a->cursor = (struct series_cursor){.kept = f.kept,
						   .boot = f.boot,
						   .device = f.device,
						   .metric = f.metric,
						   .stack = f.stack,
						   .user_stack = f.user_stack};
	if (f.wait_ms > 0)
		a->wait_ms = f.wait_ms < EXCHANGE_WAIT_MAX_MS ? (unsigned int)f.wait_ms
							      : EXCHANGE_WAIT_MAX_MS;
	if (f.error.at) {
		part_text(f.error, a->error, sizeof(a->error));
		text_clean(a->error);
	}
	if (f.token.at && (part_text(f.token, a->token, sizeof(a->token)) == SIZE_MAX ||
			   !answer_is_token(a->token)))
		return -EBADMSG;
	a->logs = json_scan(f.logs.at ? f.logs.at : "[]", f.logs.at ? f.logs.len : 2);
	return scan_enter(&a->logs, '[') ? 0 : -EBADMSG;
}

static const struct json_field log_fields[] = {
	JSON_FIELD("path", STRING, struct answer_log, path),
	JSON_FIELD("identity", STRING, struct answer_log, identity),
	JSON_FIELD("size", INT, struct answer_log, size),
	JSON_FIELDS_END,
};

int answer_log(struct answer *a, struct answer_log *log)
{
	*log = (struct answer_log){.size = -1};
	if (!scan_element(&a->logs))
		return scan_end(&a->logs) ? 0 : -EBADMSG;
	if (!scan_fields(&a->logs, log_fields, log) || !log->path.at || !log->identity.at ||
	    log->size < 0)
		return -EBADMSG;
	return 1;
}
