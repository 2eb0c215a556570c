// SPDX-License-Identifier: BSD-2-Clause
/*
 * internal.h: whose an address is. Logs say it in many ways (hadoop_names(), a daemon's own lines, attempts at the end of a
 * transfer). Each "ADDRESS HOST" is kept once, and states_finish() decides from all of them, so that the order of logs
 * does not matter:
 *
 *	one host			the address becomes that host; a host may have several addresses
 *	"s4" and "s4.example.com"	are one host, by the longer name
 *	any other two hosts		nothing is joined, and that is said: the address has moved, or many servers
 *					have it, as a gateway's or that of a bridge for containers
 *
 * A host counts only if something is known to be of it: a name that nobody else uses joins nothing.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "internal.h"

static bool is_address(struct piece name)
{
	char text[INET6_ADDRSTRLEN] = "", binary[sizeof(struct in6_addr)];

	if (!name.len || name.len >= sizeof(text))
		return false;
	memcpy(text, name.s, name.len);
	return inet_pton(AF_INET, text, binary) == 1 || inet_pton(AF_INET6, text, binary) == 1;
}

static void address_is_host(struct states *s, struct piece address, struct piece host)
{
	const char *called = host_called(s->reading, host);
	char text[2 * HOST_LEN];
	int n;

	host = called ? piece_of(called) : host;
	if (!is_address(address) || name_is_loopback(address) || host_called(s->reading, address) ||
	    !host.len || host.len >= HOST_LEN || is_address(host) || name_is_loopback(host))
		return;
	n = snprintf(text, sizeof(text), "%.*s %.*s", (int)address.len, address.s, (int)host.len,
		     host.s);
	if (names_add_n(&s->reading->named, text, (size_t)n) < 0 && errno == ENOMEM)
		reading_failed(s);
}

void log_address(struct log *l, struct piece address, struct piece host)
{
	address_is_host(l->s, name_bare(address), host);
}

/* ---- attempts ----------------------------------------------------------------------------------------- */

/*
 * At which end of a transfer an attempt runs, whose server is known from elsewhere: a history, another log. What a
 * DataNode receives comes from the attempt, or from the DataNode before it in the pipeline, which is another server.
 */
static const struct {
	enum state_kind kind;
	size_t node, attempt; /* of struct state */
	bool local;	      /* only where both ends are one server */
} ends[] = {
	{STATE_READ, offsetof(struct state, peer), offsetof(struct state, out), false},
	{STATE_WRITE, offsetof(struct state, node), offsetof(struct state, in), true},
	{STATE_SHUFFLE, offsetof(struct state, node), offsetof(struct state, in), false},
	{STATE_SHUFFLE, offsetof(struct state, peer), offsetof(struct state, out), false},
};

static uint32_t number_at(const struct state *x, size_t at)
{
	return *(const uint32_t *)((const char *)x + at);
}

/* The server of the attempt that is called as this item; STATE_NONE. */
static uint32_t node_of_attempt(struct states *s, uint32_t item)
{
	static const enum state_kind kinds[] = {STATE_MAP, STATE_REDUCE, STATE_SETUP,
						STATE_CLEANUP};
	int64_t id = item == STATE_NONE ? -1 : names_find(&s->ids, s->items.at[item]);
	const struct state *x = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && id >= 0 && !x; i++)
		x = state_find(s, kinds[i], (uint32_t)id);
	return x ? x->node : STATE_NONE;
}

static void attempts_tell(struct states *s, const bool *nameless)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < sizeof(ends) / sizeof(*ends); k++) {
			const struct state *x = &s->at[i];
			uint32_t node = number_at(x, ends[k].node), at;

			if (x->kind != ends[k].kind || node == STATE_NONE || !nameless[node] ||
			    (ends[k].local && x->node != x->peer))
				continue;
			at = node_of_attempt(s, number_at(x, ends[k].attempt));
			if (at != STATE_NONE)
				address_is_host(s, piece_of(s->nodes.at[node]),
						piece_of(s->nodes.at[at]));
		}
}

/* ---- what is decided ---------------------------------------------------------------------------------- */

struct deciding {
	struct states *s;
	/* Of each of s->nodes: which one it is, and of two that it cannot be the other one, or STATE_NONE. */
	uint32_t *now, *other;
	bool *nameless; /* it is an address of a state */
};

/* "s4" of "s4.example.com", and a name of itself. */
static bool is_short(const struct deciding *d, uint32_t name, uint32_t of)
{
	const char *short_name = d->s->nodes.at[name], *long_name = d->s->nodes.at[of];
	size_t n = strlen(short_name);

	return !strncmp(short_name, long_name, n) && (!long_name[n] || long_name[n] == '.');
}

/* The longest name counts. */
static void take_host(const struct deciding *d, uint32_t address, uint32_t host)
{
	uint32_t *now = &d->now[address];

	if (*now == address || is_short(d, *now, host))
		*now = host;
	else if (!is_short(d, host, *now))
		d->other[address] = host;
}

/* A short name is the long one's host, unless it is short for two. */
static void take_short(const struct deciding *d, uint32_t address, uint32_t host)
{
	uint32_t whole = d->now[address];

	if (d->other[address] != STATE_NONE || host == whole)
		return;
	if (d->now[host] != host && d->now[host] != whole)
		d->other[host] = whole;
	d->now[host] = whole;
}

static void each_naming(const struct deciding *d,
			void (*take)(const struct deciding *d, uint32_t address, uint32_t host))
{
	const struct names *named = &d->s->reading->named, *nodes = &d->s->nodes;

	for (size_t i = 0; i < named->n; i++) {
		const char *blank = strchr(named->at[i], ' ');
		int64_t host = names_find(nodes, blank + 1);
		int64_t address = names_find_n(nodes, named->at[i], (size_t)(blank - named->at[i]));

		if (host >= 0 && address >= 0)
			take(d, (uint32_t)address, (uint32_t)host);
	}
}

static void decide(const struct deciding *d)
{
	const struct names *nodes = &d->s->nodes;

	each_naming(d, take_host);
	each_naming(d, take_short);
	for (uint32_t i = 0; i < nodes->n; i++) {
		if (d->other[i] == STATE_NONE)
			continue;
		if (d->nameless[i])
			text_add(&d->s->nameless,
				 "%s is called %s and %s in what was read, and taken for neither: "
				 "--hosts FILE says whose it is\n",
				 nodes->at[i], nodes->at[d->now[i]], nodes->at[d->other[i]]);
		d->nameless[i] = false;
		d->now[i] = i;
	}
	for (size_t i = 0; i < nodes->n; i++)
		while (d->now[d->now[i]] != d->now[i]) /* names become longer */
			d->now[i] = d->now[d->now[i]];
}

/* Servers that stay addresses although others have names. */
static void say_nameless(const struct deciding *d, bool *charged)
{
	struct text *to = &d->s->nameless;
	const char *first = NULL;
	size_t n = 0, hosts = 0;

	for (size_t i = 0; i < d->s->n; i++)
		charged[d->now[d->s->at[i].node]] = true;
	for (size_t i = 0; i < d->s->nodes.n; i++) {
		hosts += charged[i] && !d->nameless[i];
		if (!charged[i] || !d->nameless[i])
			continue;
		first = first ?: d->s->nodes.at[i];
		n++;
	}
	if (!n || !hosts)
		return;
	text_put(to, first);
	if (n > 1)
		text_add(to, " (one of %zu such addresses)", n);
	text_put(to, " has no name in what was read: --hosts FILE gives it one\n");
}

/* Addresses of hosts that are known are there, if only for a short name of the same one. */
static void add_addresses(struct states *s)
{
	const struct names *named = &s->reading->named;

	for (size_t i = 0; i < named->n; i++) {
		const char *blank = strchr(named->at[i], ' ');

		if (names_find(&s->nodes, blank + 1) >= 0 &&
		    names_add_n(&s->nodes, named->at[i], (size_t)(blank - named->at[i])) < 0 &&
		    errno == ENOMEM)
			reading_failed(s);
	}
}

static void find_nameless(const struct deciding *d)
{
	const struct states *s = d->s;

	for (size_t i = 0; i < s->n; i++) {
		d->nameless[s->at[i].node] = true;
		if (s->at[i].peer != STATE_NONE)
			d->nameless[s->at[i].peer] = true;
	}
	for (size_t i = 0; i < s->nodes.n; i++) {
		d->nameless[i] &= is_address(piece_of(s->nodes.at[i]));
		d->now[i] = (uint32_t)i;
		d->other[i] = STATE_NONE;
	}
}

uint32_t *address_owners(struct states *s)
{
	struct deciding d = {.s = s};
	bool *charged;
	size_t n;

	add_addresses(s);
	n = s->nodes.n + 1;
	d.now = calloc(n, sizeof(*d.now));
	d.other = calloc(n, sizeof(*d.other));
	d.nameless = calloc(n, sizeof(*d.nameless));
	charged = calloc(n, sizeof(*charged));
	text_reset(&s->nameless);
	if (d.now && d.other && d.nameless && charged) {
		find_nameless(&d);
		attempts_tell(s, d.nameless);
		decide(&d);
		say_nameless(&d, charged);
	} else {
		free(d.now);
		d.now = NULL;
	}
	if (s->nameless.failed)
		reading_failed(s);
	free(d.other);
	free(d.nameless);
	free(charged);
	return d.now;
}
