// SPDX-License-Identifier: BSD-2-Clause
/*
 * prometheus.h: whatever a server answers is refused with a reason, or becomes finite samples of the time that was asked
 * for. The first byte is the status (0: 200, 1: 422, 2: 404, 3: no answer); answers are lines, one after the other to the
 * queries, the last one again and again.
 */
#include "fuzz.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/source/tables/prometheus.h"
#include "userspace/fetch/fetch.h"

static struct {
	const char *at, *end;
	unsigned int status;
} answers;

struct fetch *fetch_new(const struct fetch_opts *o, char why[WHY_LEN])
{
	static int nothing;

	(void)o;
	(void)why;
	return (struct fetch *)&nothing;
}

void fetch_free(struct fetch *f)
{
	(void)f;
}

int fetch_get(struct fetch *f, const char *url, size_t most, long *status, char why[WHY_LEN])
{
	static const long of[] = {200, 422, 404};
	size_t left = (size_t)(answers.end - answers.at);
	const char *nl = memchr(answers.at, '\n', left);
	int fd = memfd_create("answer", MFD_CLOEXEC);

	(void)f;
	MUST(strstr(url, "/api/v1/query?query=") && most && fd >= 0);
	if (answers.status == 3) {
		close(fd);
		snprintf(why, WHY_LEN, "nobody is there");
		return -EIO;
	}
	*status = of[answers.status];
	left = nl ? (size_t)(nl - answers.at) : left;
	MUST(write(fd, answers.at, left) == (ssize_t)left && !lseek(fd, 0, SEEK_SET));
	answers.at += nl ? left + 1 : 0;
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct table_opts o = {.from_ns = 1700000000 * NS_PER_S,
					    .to_ns = 1700000600 * NS_PER_S};
	struct table t = {0};
	int err;

	if (!size)
		return 0;
	answers.status = data[0] % 4;
	answers.at = (const char *)data + 1;
	answers.end = (const char *)data + size;
	fuzz_begin();
	err = table_read(&t, "prometheus://here:9090/x?job=a", &o);
	if (err)
		fuzz_check_refusal(err);
	for (size_t i = 0; i < t.n; i++) {
		MUST(isfinite(t.at[i].value) && t.at[i].value >= 0);
		MUST(t.at[i].time_ns > o.from_ns && t.at[i].time_ns <= o.to_ns);
		MUST(t.at[i].node < t.nodes.n && t.at[i].instance < t.instances.n);
	}
	fuzz_begin();
	if (!err && table_finish(&t, &o))
		MUST(fuzz_said.failures == 1);
	table_release(&t);
	return 0;
}
