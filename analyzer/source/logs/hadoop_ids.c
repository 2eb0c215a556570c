// SPDX-License-Identifier: BSD-2-Clause
/* hadoop_source.h: what ids say. */
#include "hadoop_source.h"

#include <string.h>

#include "daemon.h"

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

/*
 * Which lines name a server and its address: what begins so, and which captures are the two. own: the server is the
 * one whose log it is.
 */
static const struct {
	const char *text;
	int host, address;
	bool own;
} namings[] = {
	{"STARTUP_MSG:   host = */*", 0, 1, true},
	{"SHUTDOWN_MSG: Shutting down * at */*", 1, 2, true},
	/* a NodeManager of a container, which may have a name of its own */
	{"'s ip = *, and hostname = *", 1, 0, false},
	{"Auth successful for * from *:* / *:*", 1, 3, false},
	{"Instantiated MRClientService at */*:*", 0, 1, false},
};

/* Up to the first blank. */
static struct piece name_in(struct piece p)
{
	size_t n = 0;

	while (n < p.len && p.s[n] != ' ' && p.s[n] != '\t')
		n++;
	return piece(p.s, n);
}

void hadoop_names(struct log *l, const char *line, size_t len)
{
	struct piece c[CAPTURES];

	for (size_t i = 0; i < sizeof(namings) / sizeof(*namings); i++) {
		const char *text = namings[i].text;
		const char *at = memmem(line, len, text, strcspn(text, "*"));

		if (!at || !daemon_match(text, at, (size_t)(line + len - at), c))
			continue;
		if (namings[i].own)
			log_node_is(l, name_in(c[namings[i].host]), name_in(c[namings[i].address]));
		else
			log_address(l, c[namings[i].address], c[namings[i].host]);
	}
}
