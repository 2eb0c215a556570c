/* SPDX-License-Identifier: BSD-2-Clause */
/* `limpet watch --once`. */
#ifndef LIMPET_WATCH_ONCE_H
#define LIMPET_WATCH_ONCE_H

#include "watch.h"

struct once_to {
	/* Each change, in the verdict in which it is new; NULL: nobody wants to know. */
	int (*on_change)(void *arg, const struct verdict *a, const struct change *c);
	int (*verdict)(void *arg, const struct verdict *a); /* the last one */
	const volatile sig_atomic_t *stop;		    /* not 0: ends with -ECANCELED */
	void *arg;
};

/* All of what is there, or the part that `w` asks for. 0, negative errno after a message, or what one of
 * them returned. */
int once(const struct analysis_opts *a, double back_s, char *const *paths, size_t n_paths,
	 const struct once_to *to);

#endif
