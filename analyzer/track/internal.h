/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tracker keeps of servers. */
#ifndef LIMPET_TRACK_INTERNAL_H
#define LIMPET_TRACK_INTERNAL_H

#include "track.h"

/* One server that something is worse of, from the first signal that was until all are quiet. */
struct spell {
	size_t server;
	uint64_t id; /* 0: nothing was told yet */
	enum track_state state;
	enum suspicion suspicion;
	int64_t onset_ns, decided_ns, last_ns;
	int64_t ruled_ns; /* since then the rules call it an incident; 0: they do not */
	struct finding *findings;
	size_t n, cap;
	struct incident incident; /* as the rules had it last */
	struct notice notice;
	enum ruled ruled;
	size_t ruled_n;		/* findings there were when the rules were asked */
	unsigned int ruled_ago; /* intervals since */
};

struct track_server {
	char name[HOST_LEN];
	bool acknowledged;
	struct spell *open;	/* NULL: none */
	struct track_mark mark; /* of the newest interval, if `marked` */
	bool marked;
};

struct track {
	struct track_rules rules;
	struct track_server *servers;
	size_t n_servers, cap_servers;
	struct spell **spells; /* all, in order of their onset; each owned */
	size_t n_spells;
	struct notice *notices;
	size_t n_notices;
};

#endif
