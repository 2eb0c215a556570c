// SPDX-License-Identifier: BSD-2-Clause
/*
 * internal.h: whose an address is. Logs say it in many ways: banners, callers (hadoop_ids.c), the address that a daemon
 * has in its own lines. Each "ADDRESS HOST" is kept once, and states_finish() decides from all of them, so that the
 * order of logs does not matter:
 *
 *	one host			the address becomes that host; a host may have several addresses
 *	"s4" and "s4.example.com"	are one host if each address of the short name is also the long name's, and no
 *					other name begins with "s4."; so are names that differ only in case
 *	any other two hosts		nothing is joined, and that is said: the address has moved, or many servers
 *					have it, as a gateway's or that of a bridge for containers
 *
 * A host counts only if something is known to be of it: a name that nobody else uses joins nothing. If there are too many
 * pairs to keep, one that is missing might be the one that contradicts: nothing is joined.
 *
 * An address of which no log says anything, and a host that has no address, become one by attempts that ran where
 * they transferred from, if each of them agrees: see `ends`.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "internal.h"

enum {
	ATTEMPTS_FEWEST = 3, /* that join */
	SHOWN = 3,	     /* addresses that are said by name, and hosts of each */
};

/* ---- names -------------------------------------------------------------------------------------------- */

/* That of IPv4 as IPv6 has it. */
static bool parse_address(struct piece name, struct in6_addr *to)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	char text[INET6_ADDRSTRLEN] = "";

	if (!name.len || name.len >= sizeof(text))
		return false;
	memcpy(text, name.s, name.len);
	if (inet_pton(AF_INET6, text, to) == 1)
		return true;
	memcpy(to->s6_addr, mapped, sizeof(mapped));
	return inet_pton(AF_INET, text, to->s6_addr + sizeof(mapped)) == 1;
}

static bool is_address(const char *name)
{
	struct in6_addr address;

	return parse_address(piece_of(name), &address);
}

static bool begins_in(struct piece name, const char *what)
{
	return name.len >= strlen(what) && !strncasecmp(name.s, what, strlen(what));
}

bool name_is_nobodys(struct piece name)
{
	struct in6_addr a;
	const uint8_t *v4 = a.s6_addr + 12;
	bool letters = false;

	if (parse_address(name, &a))
		return IN6_IS_ADDR_V4MAPPED(&a)
			       ? !v4[0] || v4[0] == 127 || (v4[0] == 169 && v4[1] == 254)
			       : IN6_IS_ADDR_UNSPECIFIED(&a) || IN6_IS_ADDR_LOOPBACK(&a) ||
					 IN6_IS_ADDR_LINKLOCAL(&a);
	for (size_t i = 0; i < name.len; i++) {
		if (name.s[i] == ':')
			return true; /* "fe80::1%eth0" */
		letters |= isalpha((unsigned char)name.s[i]) != 0;
	}
	return !letters || begins_in(name, "localhost") || begins_in(name, "ip6-localhost") ||
	       begins_in(name, "ip6-loopback");
}

/* In lower case; `to` has room. */
static void fold(char *to, struct piece name)
{
	for (size_t i = 0; i < name.len; i++)
		to[i] = (char)tolower((unsigned char)name.s[i]);
	to[name.len] = 0;
}

static void add_naming(struct states *s, struct piece address, struct piece host)
{
	struct reading *r = s->reading;
	char text[2 * HOST_LEN + 1];

	fold(text, address);
	text[address.len] = ' ';
	fold(text + address.len + 1, host);
	if (names_add(&r->named, text) >= 0)
		return;
	if (errno == ENOMEM)
		reading_failed(s);
	r->full_named = true;
}

void log_address(struct log *l, struct piece address, struct piece host)
{
	struct reading *r = l->s->reading;
	struct in6_addr binary;
	const char *called;

	address = name_bare(address);
	called = alias_find(&r->hosts, host);
	host = called ? piece_of(called) : host;
	if (l->cut || !parse_address(address, &binary) || name_is_nobodys(address) ||
	    alias_find(&r->hosts, address) || host.len >= HOST_LEN || name_is_nobodys(host) ||
	    parse_address(host, &binary) || name_check(host.s, host.len, HOST_LEN - 1))
		return;
	add_naming(l->s, address, host);
	if (l->node != STATE_NONE && piece_is(host, l->s->nodes.at[l->node]) &&
	    alias_add(&r->said, address, l->s->nodes.at[l->node]))
		reading_failed(l->s);
}

/* ---- what is decided ---------------------------------------------------------------------------------- */

struct deciding {
	struct states *s;
	struct names folded; /* names of s->nodes in lower case */
	uint32_t *spelled;   /* of each of them, the node */
	struct owner {
		uint32_t now; /* the node that it is */
		uint32_t
			longer; /* the only node that begins with this one's name and a dot; itself: there are several */
		uint32_t host; /* of an address, as logs say it */
		uint32_t
			ran; /* of an address the host, and of a host the address, by attempts; itself: several */
		uint32_t attempts;
		bool several;	  /* several hosts have it */
		bool has_address; /* as logs say it */
		bool address;	  /* of a state */
	} * at;			  /* of each node */
};

/* The node of that name in lower case; STATE_NONE. */
static uint32_t node_spelled(const struct deciding *d, const char *name, size_t len)
{
	int64_t n = names_find_n(&d->folded, name, len);

	return n < 0 ? STATE_NONE : d->spelled[n];
}

static void note_one(uint32_t *is, uint32_t self, uint32_t one)
{
	*is = *is == STATE_NONE || *is == one ? one : self;
}

static int fold_nodes(struct deciding *d)
{
	const struct names *nodes = &d->s->nodes;
	char text[HOST_LEN];

	for (uint32_t i = 0; i < nodes->n; i++) {
		size_t had = d->folded.n;
		int64_t n;

		fold(text, piece_of(nodes->at[i]));
		n = names_add(&d->folded, text);
		if (n < 0)
			return -ENOMEM;
		/* in whatever order they came */
		if (d->folded.n > had || strcmp(nodes->at[i], nodes->at[d->spelled[n]]) < 0)
			d->spelled[n] = i;
		d->at[i] = (struct owner){.now = (uint32_t)n,
					  .longer = STATE_NONE,
					  .host = STATE_NONE,
					  .ran = STATE_NONE};
	}
	for (uint32_t i = 0; i < nodes->n; i++)
		d->at[i].now = d->spelled[d->at[i].now];
	return 0;
}

static void find_longer(const struct deciding *d)
{
	for (size_t n = 0; n < d->folded.n; n++) {
		const char *name = d->folded.at[n];

		for (const char *dot = strchr(name, '.'); dot && !is_address(name);
		     dot = strchr(dot + 1, '.')) {
			uint32_t of = node_spelled(d, name, (size_t)(dot - name));

			if (of != STATE_NONE)
				note_one(&d->at[of].longer, of, d->spelled[n]);
		}
	}
}

struct naming {
	const char *address, *host; /* the address ends at a blank */
	size_t address_len;
	uint32_t node, of; /* the address's, or STATE_NONE; the host's */
};

/* The next one, from *i on, of a host that is known. */
static bool next_naming(const struct deciding *d, size_t *i, struct naming *to)
{
	const struct names *named = &d->s->reading->named;

	while (!d->s->reading->full_named && *i < named->n) {
		const char *at = named->at[(*i)++], *blank = strchr(at, ' ');

		*to = (struct naming){at, blank + 1, (size_t)(blank - at), STATE_NONE, STATE_NONE};
		to->of = node_spelled(d, to->host, strlen(to->host));
		if (to->of == STATE_NONE)
			continue;
		to->of = d->at[to->of].now;
		to->node = node_spelled(d, at, to->address_len);
		return true;
	}
	return false;
}

/* Short names whose addresses all are the long one's, too. */
static void join_short(const struct deciding *d)
{
	struct naming x;

	for (size_t i = 0; next_naming(d, &i, &x);) {
		struct owner *o = &d->at[x.of];
		char both[2 * HOST_LEN + 1];

		o->has_address = true;
		if (o->longer == STATE_NONE || o->longer == x.of)
			continue;
		memcpy(both, x.address, x.address_len + 1);
		fold(both + x.address_len + 1, piece_of(d->s->nodes.at[o->longer]));
		if (names_find(&d->s->reading->named, both) < 0)
			o->longer = x.of;
	}
	for (uint32_t i = 0; i < d->s->nodes.n; i++)
		if (d->at[i].has_address && d->at[i].longer != STATE_NONE)
			d->at[i].now = d->at[i].longer;
}

static void find_hosts(const struct deciding *d)
{
	struct naming x;

	for (size_t i = 0; next_naming(d, &i, &x);) {
		d->at[x.of].has_address = true;
		if (x.node == STATE_NONE)
			continue;
		d->at[x.node].several |=
			d->at[x.node].host != STATE_NONE && d->at[x.node].host != x.of;
		d->at[x.node].host = x.of;
	}
}

/* ---- attempts ----------------------------------------------------------------------------------------- */

/*
 * Transfers in which the attempt ran on the server that logs them, by its own address: a block that is read or written
 * there from there, and a map's output that its TaskTracker sends. Which address others come from says nothing: it may
 * be a gateway's, or a hop of a pipeline.
 */
static const struct {
	enum state_kind kind;
	size_t attempt; /* of struct state */
	bool local;	/* only where both ends are one server */
} ends[] = {
	{STATE_READ, offsetof(struct state, out), true},
	{STATE_WRITE, offsetof(struct state, in), true},
	{STATE_SHUFFLE, offsetof(struct state, in), false},
};

/* The attempt of a transfer, of s->ids, and the server that is known for it from elsewhere, a history or another log;
 * STATE_NONE. */
static uint32_t attempt_at(struct states *s, const struct state *x, uint32_t *node)
{
	for (size_t k = 0; k < sizeof(ends) / sizeof(*ends); k++) {
		uint32_t item = *(const uint32_t *)((const char *)x + ends[k].attempt);
		const struct state *a;
		int64_t id;

		if (x->kind != ends[k].kind || item == STATE_NONE ||
		    (ends[k].local && x->node != x->peer))
			continue;
		id = names_find(&s->ids, s->items.at[item]);
		a = id < 0 ? NULL : state_find(s, STATE_MAP, (uint32_t)id);
		a = a || id < 0 ? a : state_find(s, STATE_REDUCE, (uint32_t)id);
		if (!a || a->outcome != OUTCOME_OK || a->lost || a->node == STATE_NONE)
			return STATE_NONE;
		*node = a->node;
		return (uint32_t)id;
	}
	return STATE_NONE;
}

static int join_attempts(const struct deciding *d)
{
	struct states *s = d->s;
	bool *counted = calloc(s->ids.n + 1, sizeof(*counted));

	if (!counted)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		uint32_t node = s->at[i].node, host, id;

		if (!d->at[node].address)
			continue;
		id = attempt_at(s, &s->at[i], &host);
		if (id == STATE_NONE)
			continue;
		host = d->at[host].now;
		note_one(&d->at[node].ran, node, host);
		note_one(&d->at[host].ran, host, node);
		d->at[node].attempts += !counted[id];
		counted[id] = true;
	}
	free(counted);
	for (uint32_t i = 0; i < s->nodes.n; i++) {
		struct owner *o = &d->at[i];
		const char *host = o->ran == STATE_NONE ? "" : s->nodes.at[o->ran];

		if (!o->address || o->ran == STATE_NONE || d->at[o->ran].ran != i ||
		    o->attempts < ATTEMPTS_FEWEST || o->host != STATE_NONE ||
		    d->at[o->ran].has_address || names_find(&s->reading->hosts.host, host) >= 0 ||
		    is_address(host) || name_is_nobodys(piece_of(host)) ||
		    name_is_nobodys(piece_of(s->nodes.at[i])) || s->reading->full_named)
			continue;
		o->host = o->ran;
		/* what is read later does not give the host a second address by attempts */
		add_naming(s, piece_of(s->nodes.at[i]), piece_of(host));
	}
	return 0;
}

/* ---- what is said ------------------------------------------------------------------------------------- */

/* "ADDRESS (HOST, HOST)" */
static void say_hosts(const struct deciding *d, uint32_t address)
{
	struct text *to = &d->s->nameless;
	uint32_t hosts[SHOWN];
	size_t n = 0;
	struct naming x;

	text_add(to, "%s (", d->s->nodes.at[address]);
	for (size_t i = 0; next_naming(d, &i, &x);) {
		bool new = x.node == address;

		for (size_t k = 0; k < n && k < SHOWN; k++)
			new &= hosts[k] != x.of;
		if (!new)
			continue;
		if (n < SHOWN) {
			hosts[n] = x.of;
			text_add(to, "%s%s", n ? ", " : "", d->s->nodes.at[x.of]);
		}
		n++;
	}
	text_put(to, n > SHOWN ? ", …)" : ")");
}

/* Addresses of several hosts. */
static void say_several(const struct deciding *d)
{
	struct text *to = &d->s->nameless;
	size_t n = 0;

	if (d->s->reading->full_named)
		text_add(to,
			 "there are more than %zu pairs of an address and a name in what was read: "
			 "none is taken for one server without --hosts FILE\n",
			 d->s->reading->named.n);
	for (uint32_t i = 0; i < d->s->nodes.n; i++) {
		if (!d->at[i].several || !d->at[i].address)
			continue;
		if (n < SHOWN) {
			text_put(to,
				 n ? ", " : "addresses of several names, taken for none of them: ");
			say_hosts(d, i);
		}
		n++;
	}
	if (n > SHOWN)
		text_add(to, " and %zu more", n - SHOWN);
	if (n)
		text_put(to, ": --hosts FILE says whose they are\n");
}

/* Servers that stay addresses although others have names. */
static void say_nameless(const struct deciding *d, bool *charged)
{
	struct text *to = &d->s->nameless;
	const char *first = NULL;
	size_t n = 0, hosts = 0;

	for (size_t i = 0; i < d->s->n; i++)
		charged[d->at[d->s->at[i].node].now] = true;
	for (size_t i = 0; i < d->s->nodes.n; i++) {
		hosts += charged[i] && !d->at[i].address;
		if (!charged[i] || !d->at[i].address || d->at[i].several)
			continue;
		first = first ?: d->s->nodes.at[i];
		n++;
	}
	if (!n || !hosts)
		return;
	text_put(to, first);
	if (n > 1)
		text_add(to, " (one of %zu such addresses)", n);
	text_put(to, " has no sure name in what was read: --hosts FILE gives it one\n");
}

/* ---- all together ------------------------------------------------------------------------------------- */

static void find_addresses(const struct deciding *d)
{
	const struct states *s = d->s;

	for (size_t i = 0; i < s->n; i++) {
		d->at[s->at[i].node].address = true;
		if (s->at[i].peer != STATE_NONE)
			d->at[s->at[i].peer].address = true;
	}
	for (size_t i = 0; i < s->nodes.n; i++)
		d->at[i].address = d->at[i].address && is_address(s->nodes.at[i]);
}

static int decide(struct deciding *d)
{
	if (fold_nodes(d))
		return -ENOMEM;
	find_addresses(d);
	find_longer(d);
	join_short(d);
	find_hosts(d);
	if (join_attempts(d))
		return -ENOMEM;
	for (uint32_t i = 0; i < d->s->nodes.n; i++)
		if (d->at[i].host != STATE_NONE && !d->at[i].several)
			d->at[i].now = d->at[i].host;
	for (size_t i = 0; i < d->s->nodes.n; i++)
		while (d->at[d->at[i].now].now != d->at[i].now) /* of another case, a short name */
			d->at[i].now = d->at[d->at[i].now].now;
	return 0;
}

uint32_t *address_owners(struct states *s)
{
	size_t n = s->nodes.n + 1;
	struct deciding d = {
		.s = s, .spelled = calloc(n, sizeof(*d.spelled)), .at = calloc(n, sizeof(*d.at))};
	uint32_t *now = calloc(n, sizeof(*now));
	bool *charged = calloc(n, sizeof(*charged));

	text_reset(&s->nameless);
	if (d.spelled && d.at && now && charged && !decide(&d)) {
		say_several(&d);
		say_nameless(&d, charged);
		for (size_t i = 0; i < s->nodes.n; i++)
			now[i] = d.at[i].now;
	} else {
		free(now);
		now = NULL;
	}
	if (s->nameless.failed)
		reading_failed(s);
	names_release(&d.folded);
	free(d.spelled);
	free(d.at);
	free(charged);
	return now;
}
