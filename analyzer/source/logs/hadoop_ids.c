// SPDX-License-Identifier: BSD-2-Clause
/* hadoop_source.h: what ids say, and lines about servers. */

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

void hadoop_banner(struct log *l, const char *line)
{
	static const char begins[] = "STARTUP_MSG:   host = ";
	const char *host, *address;

	if (strncmp(line, begins, sizeof(begins) - 1))
		return;
	host = line + sizeof(begins) - 1;
	address = strchrnul(host, '/');
	log_node_is(l, piece(host, (size_t)(address - host)),
		    piece(address + !!*address, strcspn(address + !!*address, " \t")));
}

bool hadoop_parts(const char *s, const char *end, struct piece *class, struct piece *text)
{
	const char *at = memchr(s, ' ', (size_t)(end - s)), *colon;

	while (at && at < end && *at == ' ')
		at++;
	if (at && at < end && *at == '[') {
		at = memmem(at, (size_t)(end - at), "] ", 2);
		at = at ? at + 2 : NULL;
	}
	if (!at || at >= end)
		return false;
	colon = memchr(at, ':', (size_t)(end - at));
	if (!colon || colon + 1 >= end || colon[1] != ' ')
		return false;
	*class = piece(at, (size_t)(colon - at));
	*text = piece(colon + 2, (size_t)(end - colon - 2));
	return true;
}

/* "NAME:PORT" */
static struct piece before_port(struct piece p)
{
	const char *colon = p.len ? memrchr(p.s, ':', p.len) : NULL;
	const char *end = p.s + p.len;

	return piece(p.s, colon && log_number(piece(colon + 1, (size_t)(end - colon - 1))) >= 0
				  ? (size_t)(colon - p.s)
				  : 0);
}

void hadoop_caller(struct log *l, struct piece class, struct piece text)
{
	static const char begins[] = "Auth successful for ", server[] = ".ipc.Server";
	const char *end = text.s + text.len, *at = end, *slash;
	size_t n = sizeof(server) - 1;

	if (text.len < sizeof(begins) || memcmp(text.s, begins, sizeof(begins) - 1) ||
	    class.len < n || memcmp(class.s + class.len - n, server, n))
		return;
	while (at > text.s && (end - at < 6 || memcmp(at, " from ", 6)))
		at--;
	slash = at > text.s ? memmem(at, (size_t)(end - at), " / ", 3) : NULL;
	if (slash)
		log_address(l, before_port(piece(slash + 3, (size_t)(end - slash - 3))),
			    before_port(piece(at + 6, (size_t)(slash - at - 6))));
}
