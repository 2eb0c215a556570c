// SPDX-License-Identifier: BSD-2-Clause
/* hadoop_source.h: what ids say. */
#include "hadoop_source.h"

#include <string.h>

/* Where "_m_" or "_r_" begins; NULL: nowhere. */
static const char *letter(struct piece id)
{
	const char *p = memchr(id.s, '_', id.len), *end = id.s + id.len;

	for (; p && end - p > 2; p = memchr(p + 1, '_', (size_t)(end - p - 1)))
		if ((p[1] == 'm' || p[1] == 'r') && p[2] == '_')
			return p;
	return NULL;
}

uint32_t hadoop_job_of(struct log *l, struct piece id)
{
	const char *from = memchr(id.s, '_', id.len), *to = letter(id);
	char job[LOG_ID_LEN];
	size_t n;

	if (!from || !to || from == to || to - from + 4 > (ptrdiff_t)sizeof(job))
		return STATE_NONE;
	n = (size_t)(to - from);
	memcpy(job, "job", 3);
	memcpy(job + 3, from, n);
	return log_job(l, piece(job, n + 3));
}

enum state_kind hadoop_kind_of(struct piece id)
{
	const char *at = letter(id);

	return !at ? STATE_KIND_COUNT : at[1] == 'm' ? STATE_MAP : STATE_REDUCE;
}

void hadoop_host(struct log *l, const char *said)
{
	const char *slash = strchrnul(said, '/'), *address = *slash ? slash + 1 : "";

	log_node_is(l, piece(said, (size_t)(slash - said)),
		    piece(address, strcspn(address, " \t")));
}
