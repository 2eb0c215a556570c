// SPDX-License-Identifier: BSD-2-Clause
/* log_source.h: names in logs as numbers, what servers are called, and the zones of local times. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/times.h"

struct reading *reading_of(struct states *s)
{
	if (!s->reading) {
		s->reading = calloc(1, sizeof(*s->reading));
		s->ids.max = s->items.max = LOG_IDS_MAX;
	}
	return s->reading;
}

static void aliases_release(struct aliases *a)
{
	names_release(&a->alias);
	names_release(&a->host);
	free(a->host_of);
}

void reading_release(struct reading *r)
{
	if (!r)
		return;
	while (r->logs)
		log_close(&r->logs->log);
	free(r->of_id);
	free(r->pair);
	free(r->was);
	names_release(&r->stems);
	free(r->stem);
	free(r->stem_of);
	aliases_release(&r->hosts);
	aliases_release(&r->said);
	names_release(&r->named);
	free(r->zone);
	layouts_release(&r->layouts);
	free(r->no_peer);
	free(r);
}

void reading_failed(struct states *s)
{
	s->reading->err = -ENOMEM;
}

/* ---- notes --------------------------------------------------------------------------------------- */

void log_note(struct log *l, const char *fmt, ...)
{
	struct states *s = l->s;
	va_list ap;

	if (s->n_notes >= LOG_NOTES_MAX) {
		s->counts.notes++;
		return;
	}
	text_add(&s->notes, "'%s': ", l->path);
	va_start(ap, fmt);
	text_vadd(&s->notes, fmt, ap);
	va_end(ap);
	text_put(&s->notes, "\n");
	if (s->notes.failed)
		reading_failed(s);
	s->n_notes++;
}

/* ---- numbers of names ------------------------------------------------------------------------------ */

static uint32_t number_name(struct log *l, struct names *set, struct piece name, size_t max)
{
	struct reading *r = l->s->reading;
	int64_t n;

	if (!name.len || r->err)
		return STATE_NONE;
	if (name.len >= max || name_check(name.s, name.len, max - 1)) {
		l->s->counts.names++;
		return STATE_NONE;
	}
	n = names_add_n(set, name.s, name.len);
	if (n >= 0)
		return (uint32_t)n;
	if (errno == ENOMEM) {
		reading_failed(l->s);
		return STATE_NONE;
	}
	l->s->counts.names++;
	if (!r->full_names)
		log_note(l, "there are more than %zu names of one kind: the others are left out",
			 set->max ? set->max : (size_t)TABLE_NAMES_MAX);
	r->full_names = true;
	return STATE_NONE;
}

uint32_t log_id(struct log *l, struct piece name)
{
	return number_name(l, &l->s->ids, name, LOG_ID_LEN);
}

uint32_t log_item(struct log *l, struct piece name)
{
	return number_name(l, &l->s->items, name, LOG_ITEM_LEN);
}

uint32_t log_class(struct log *l, struct piece name)
{
	return number_name(l, &l->s->classes, name, LOG_ID_LEN);
}

uint32_t log_job(struct log *l, struct piece name)
{
	struct states *st = l->s;
	size_t had = st->jobs.n;
	uint32_t job = number_name(l, &st->jobs, name, LOG_ID_LEN);

	if (st->jobs.n == had)
		return job;
	if (array_extend(&st->job, had, had + 1)) {
		reading_failed(st);
		return STATE_NONE;
	}
	st->job[job] = (struct state_job){.name = STATE_NONE, .outcome = OUTCOME_OPEN};
	return job;
}

int64_t log_number(struct piece digits)
{
	int64_t n = 0;

	if (!digits.len || digits.len > 18)
		return -1;
	for (size_t i = 0; i < digits.len; i++) {
		if (digits.s[i] < '0' || digits.s[i] > '9')
			return -1;
		n = 10 * n + (digits.s[i] - '0');
	}
	return n;
}

/* ---- servers --------------------------------------------------------------------------------------- */

const char *alias_find(const struct aliases *as, struct piece name)
{
	int64_t a = names_find_n(&as->alias, name.s, name.len);

	return a < 0 ? NULL : as->host.at[as->host_of[a]];
}

int alias_add(struct aliases *as, struct piece alias, const char *host)
{
	size_t had = as->alias.n;
	int64_t h = names_add(&as->host, host);
	int64_t a = h < 0 ? h : names_add_n(&as->alias, alias.s, alias.len);

	if (a < 0)
		return errno == ENOMEM ? -ENOMEM : 0; /* more than may be: it stays an address */
	if (as->alias.n == had)
		return 0;
	if (array_extend(&as->host_of, had, had + 1))
		return -ENOMEM;
	as->host_of[a] = (uint32_t)h;
	return 0;
}

/* The name in "/rack/host", "tracker_host:…", "host/address:port" or "/address:port". */
struct piece name_bare(struct piece name)
{
	const char *from = name.s, *end, *colon, *slash;

	if (!name.len)
		return name;
	end = from + name.len;
	if (name.len > 8 && !memcmp(from, "tracker_", 8)) {
		from += 8;
		end = memchr(from, ':', (size_t)(end - from)) ?: end;
		return piece(from, (size_t)(end - from));
	}
	slash = memrchr(from, '/', name.len);
	from = slash ? slash + 1 : from;
	colon = memchr(from, ':', (size_t)(end - from));
	if (colon && !memchr(colon + 1, ':', (size_t)(end - colon - 1)))
		end = colon; /* with more than one it is an address of IPv6 */
	return piece(from, (size_t)(end - from));
}

bool name_is_loopback(struct piece name)
{
	return (name.len > 4 && !memcmp(name.s, "127.", 4)) || piece_is(name, "localhost") ||
	       piece_is(name, "::1") || piece_is(name, "0:0:0:0:0:0:0:1");
}

uint32_t log_node(struct log *l, struct piece name)
{
	const char *host;

	name = name_bare(name);
	if (name_is_loopback(name)) {
		if (l->node != STATE_NONE)
			return l->node;
		name = piece_of("localhost");
	}
	host = name.len < HOST_LEN ? alias_find(&l->s->reading->hosts, name) : NULL;
	return number_name(l, &l->s->nodes, host ? piece_of(host) : name, HOST_LEN);
}

void log_node_is(struct log *l, struct piece host, struct piece address)
{
	uint32_t node = l->cut || name_is_nobodys(host) ? STATE_NONE : log_node(l, host);

	if (node == STATE_NONE)
		return;
	l->node = node;
	log_address(l, address, piece_of(l->s->nodes.at[node]));
	log_zone((struct open_log *)l);
}

void log_no_peer(struct log *l, uint32_t node)
{
	struct reading *r = l->s->reading;
	const struct open_log *by = (struct open_log *)l;
	struct no_peer *at;

	for (size_t i = 0; i < r->n_no_peer; i++)
		if (r->no_peer[i].node == node && r->no_peer[i].by == by)
			return;
	at = array_add(&r->no_peer, &r->n_no_peer);
	if (at)
		*at = (struct no_peer){node, by};
	else
		reading_failed(l->s);
}

/* ---- options --------------------------------------------------------------------------------------- */

static int add_zone(struct reading *r, const char *text)
{
	const char *is = strrchr(text, '='), *zone = is ? is + 1 : text;
	struct zone *z = array_add(&r->zone, &r->n_zone);
	int64_t seconds = 0;

	if (!z)
		return -ENOMEM;
	if (!time_offset(&zone, &seconds) || *zone || (is && (is == text || is - text >= HOST_LEN)))
		return fail("'--zone %s' is neither ±HH:MM nor NAME=±HH:MM", text);
	z->ns = seconds * NS_PER_S;
	z->name = is ? strndup(text, (size_t)(is - text)) : NULL;
	return is && !z->name ? -ENOMEM : 0;
}

int option_lines(const char *path, int (*take)(void *own, char *line, size_t len), void *own)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	if (!f)
		return fail("cannot open '%s': %s", path, strerror(errno)), -EIO;
	while (!err && (len = getline(&line, &size, f)) >= 0)
		err = take(own, line, (size_t)len);
	if (!err && ferror(f)) {
		fail("cannot read '%s': %s", path, strerror(errno));
		err = -EIO;
	}
	free(line);
	fclose(f);
	return err;
}

static int hosts_line(void *own, char *line, size_t len)
{
	char *at = NULL, *first, *host, *word;
	struct reading *r = own;
	int err;

	(void)len;
	line[strcspn(line, "#\n")] = 0;
	first = strtok_r(line, " \t", &at);
	host = strtok_r(NULL, " \t", &at);
	if (!first || !host || name_is_loopback(piece_of(first)))
		return 0;
	err = alias_add(&r->hosts, piece_of(first), host);
	while (!err && (word = strtok_r(NULL, " \t", &at)))
		err = alias_add(&r->hosts, piece_of(word), host);
	return err;
}

int states_options(struct states *s, const struct log_opts *o)
{
	struct reading *r = reading_of(s);
	int err = r ? 0 : -ENOMEM;

	for (size_t i = 0; i < o->zones.n && !err; i++)
		err = add_zone(r, o->zones.at[i]);
	if (!err && o->hosts)
		err = option_lines(o->hosts, hosts_line, r);
	for (size_t i = 0; i < o->layouts.n && !err; i++)
		err = layouts_read(&r->layouts, o->layouts.at[i]);
	if (err == -ENOMEM)
		fail("out of memory");
	return err;
}

void log_zone(struct open_log *o)
{
	const struct states *s = o->log.s;
	const char *node = o->log.node == STATE_NONE ? NULL : s->nodes.at[o->log.node];
	bool by_name = false;

	o->zone_ns = 0;
	for (size_t i = 0; i < s->reading->n_zone; i++) {
		const struct zone *z = &s->reading->zone[i];
		bool its = z->name && node && !strcmp(z->name, node);

		if (its || (!z->name && !by_name))
			o->zone_ns = z->ns;
		by_name |= its;
	}
}

int64_t log_utc(const struct log *l, int64_t local_ns)
{
	return local_ns - ((const struct open_log *)l)->zone_ns;
}

/* ---- until when a log goes --------------------------------------------------------------------------- */

uint32_t log_stem(struct states *s, const char *path)
{
	struct reading *r = s->reading;
	size_t had = r->stems.n;
	int64_t n = names_add_n(&r->stems, path, log_stem_len(path));

	if (n >= 0 && r->stems.n > had) {
		if (array_extend(&r->stem, had, had + 1))
			n = -1;
		else
			r->stem[n] = (struct stem){
				.last_ns = INT64_MIN, .ahead_ns = INT64_MIN, .node = STATE_NONE};
	}
	return n < 0 ? STATE_NONE : (uint32_t)n;
}

void log_seen(struct log *l, int64_t time_ns)
{
	const struct open_log *o = (struct open_log *)l;
	struct stem *stem = &l->s->reading->stem[o->stem];
	int64_t *last_ns = log_ahead(l->s->reading, time_ns) ? &stem->ahead_ns : &stem->last_ns;

	if (time_ns <= *last_ns)
		return;
	*last_ns = time_ns;
	stem->node = l->node;
	stem->local = l->source->local_time;
}
