/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files behind log_source.h share: what is known while logs are read. */
#ifndef LIMPET_INPUT_LOGS_INTERNAL_H
#define LIMPET_INPUT_LOGS_INTERNAL_H

#include "log_bytes.h"
#include "log_layout.h"
#include "log_source.h"

/* Bytes before the next one by which a file is known again: more than a line's stamp, which has milliseconds. */
enum { LOG_LAST = 256 };

/* A log and how it is read. */
struct open_log {
	struct log log; /* first: a source's struct log is one of these */
	struct open_log *next;
	struct log_bytes *bytes; /* NULL: it rests */
	char *path;
	char *buf; /* cap + 1 bytes; those from `at` to `end` are not taken yet */
	size_t at, end, cap, looked;
	uint64_t before;     /* bytes of the file before buf */
	bool opened;	     /* log.own is there, and the source's open() was called */
	bool skipping;	     /* the rest of a line that is too long */
	bool nul;	     /* bytes in buf may be NUL */
	bool stopped;	     /* nothing more is read: the source's error, or a damaged file */
	char last[LOG_LAST]; /* bytes that were read last, as many as there were */
	size_t n_last;
	uint32_t stem;	   /* of reading.stems */
	int64_t zone_ns;   /* of its local times */
	int64_t apart[16]; /* ends of states, less what a source of a higher rank says */
	unsigned int n_apart;
};

struct stem {
	int64_t last_ns;  /* that it says, and that may be */
	int64_t ahead_ns; /* likewise of those that are ahead of the present (states_away.c) */
	uint32_t node;	  /* whose it is; STATE_NONE */
	bool local;	  /* its times have no zone */
	uint8_t ends;	  /* that the jobs' history says, too, so many quarters of an hour apart; */
	int16_t quarters; /* INT16_MAX: not as many each, or no whole ones */
};

struct zone {
	const char *name; /* of a server, or NULL: of all */
	int64_t ns;
};

struct reading {
	int err;	   /* -ENOMEM: it is over */
	int64_t now_ns;	   /* the present; 0: not known */
	bool clock_behind; /* it is the present that is wrong: most states are ahead of it */
	bool full_states, full_names, full_progress;
	struct open_log *logs; /* that are open */
	/*
	 * (kind, id) → number of a state + 1: the states of each id are a list, which begins here. Ids are numbered
	 * as they come, so that those of one time lie beside each other, and lists have at most one of each kind.
	 */
	uint32_t *of_id;
	size_t n_ids;
	struct pair {
		uint32_t next; /* number + 1; 0: the last one */
		uint8_t kind;
	} * pair;      /* of each state; dead ones are in no list */
	uint32_t *was; /* of each state: the one it took the place of + 1; NULL: of none */
	size_t n_was;
	/* A log and what it was before it was rotated are one: until when it is known. */
	struct names stems;
	struct stem *stem; /* of each of `stems` */
	uint32_t *stem_of; /* of each of states.files */
	/*
	 * Addresses and other names → what a server is called. hosts: by --hosts. said: as a log said it first, by which
	 * only the two lines of a write find each other; states_finish() decides from `named` (log_addresses.c).
	 */
	struct aliases {
		struct names alias, host;
		uint32_t *host_of; /* of each alias, of `host` */
	} hosts, said;
	struct names named; /* "ADDRESS HOST", as logs say it, in lower case */
	bool full_named;
	struct zone *zone;
	size_t n_zone;
	struct no_peer {
		uint32_t node;
		const struct open_log *by; /* NULL: its log is closed */
	} * no_peer;
	size_t n_no_peer;
	struct layouts layouts; /* --layout */
};

/* s->reading, made where there is none; NULL: no memory. */
struct reading *reading_of(struct states *s);
void reading_release(struct reading *r);
void reading_failed(struct states *s);

/* Open logs, and what they know besides, are told. */
void logs_renumber(struct states *s, const struct log_numbers *now);

/* The state of a pair of kind and id is at this place of s->at; at least one more fits then. 0 or -ENOMEM */
int pairs_again(struct states *s);

/* states_away.c: whether a time is too far ahead of the present; takes out states whose times cannot be right: as dead
 * ones, for drop_dead(). 0 or -ENOMEM. */
bool log_ahead(const struct reading *r, int64_t time_ns);
int states_away(struct states *s);

/* states_open.c: until when states without an end last; counts them. 0 or -ENOMEM. */
int states_open(struct states *s);

/* Puts it at this path: its number, its stem. 0, -E2BIG or -ENOMEM. */
int log_named(struct open_log *o, const char *path);
/* The lines that are there; at the end of the file also the one that has no end. */
void log_take(struct open_log *o, bool last);

/* Its file and its server, and the zone that goes with them. */
void log_zone(struct open_log *o);
uint32_t log_stem(struct states *s, const char *path);

/* Each line of a file that an option names. 0, what `take` returned, or -EIO after a message. */
int option_lines(const char *path, int (*take)(void *own, char *line, size_t len), void *own);

/* What a server of that name is called; NULL: nothing else. */
const char *alias_find(const struct aliases *as, struct piece name);
/* What was said first counts. 0 or -ENOMEM. */
int alias_add(struct aliases *as, struct piece alias, const char *host);
/* The name in "/rack/host", "tracker_host:…", "host/address:port" or "/address:port". */
struct piece name_bare(struct piece name);
bool name_is_loopback(struct piece name);
/* No server is called so, or many are: loopback, 0.0.0.0, an address of a link, a number, "localhost.localdomain". */
bool name_is_nobodys(struct piece name);
/* log_addresses.c: of each of s->nodes the one that it is, as far as is known now; the caller frees it. NULL: no memory. */
uint32_t *address_owners(struct states *s);

/* Keeps those of n elements for which `stays` is true, in their order: x is a name, declared here, of a pointer to each. */
#define keep_those(x, at, n, stays)                             \
	({                                                      \
		size_t kept_ = 0;                               \
                                                                \
		for (size_t i_ = 0; i_ < *(n); i_++) {          \
			const __typeof__(*(at)) *x = &(at)[i_]; \
                                                                \
			if (stays)                              \
				(at)[kept_++] = *x;             \
		}                                               \
		*(n) = kept_;                                   \
	})

/* Dead: taken out by states_finish(). */
#define STATE_DEAD STATE_KIND_COUNT

#endif
