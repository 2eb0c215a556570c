/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of `limpet watch`: the clock, signals, and who is shown what. */
#ifndef LIMPET_WATCH_SESSION_H
#define LIMPET_WATCH_SESSION_H

#include "watch.h"

struct session_opts {
	struct analysis_opts a; /* from_ns INT64_MIN: not asked for */
	double back_s;		/* begin so long before the newest second; below 0: not asked for */
	bool once;		/* all that is there, with all changes, and no more */
	bool plain, json, quiet; /* quiet: nothing on standard output */
	const char *color;	 /* of the options alone: colours_choose() */
	bool exit_code; /* of `once`: the status says what is known of the servers (verdict_exit()) */
	const char *alert, *listen; /* NULL: none */
	struct string_list hosts;   /* names it may be asked by, beside this host's */
	unsigned int alert_interval_s;
};

/* An exit status, after a message unless it is 0. */
int session_run(const struct session_opts *o, char *const *paths, size_t n_paths);

#endif
