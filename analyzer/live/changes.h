/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is new from one verdict to the next: which server began to limp, for another reason, no longer;
 * notices; whether anything can be judged at all. Pure: reads verdicts, prints nothing.
 */
#ifndef LIMPET_WATCH_CHANGES_H
#define LIMPET_WATCH_CHANGES_H

#include <sys/types.h>

#include "analyzer/verdict/status.h"
#include "userspace/common/clock.h"

enum change_kind {
	CHANGE_JUDGING,	   /* there is enough to judge by, now */
	CHANGE_CANNOT,	   /* there is not */
	CHANGE_UNPROVEN,   /* of servers with nothing against them a fault would not be seen, now */
	CHANGE_PROVEN,	   /* it would be, of all of them */
	CHANGE_SUSPICIOUS, /* a server is suspicious: nobody is indicted */
	CHANGE_CLEARED,	   /* it is no more, and was not indicted */
	CHANGE_OPENED,	   /* a server limps */
	CHANGE_CAUSE,	   /* still, but for another cause, or another process or host does it */
	CHANGE_HELD,	   /* too few events to judge again: the verdict stands */
	CHANGE_RESUMED,	   /* it is judged again, and still limps */
	CHANGE_OVER,
	CHANGE_SILENT,	  /* a server stopped reporting, while most of its peers do */
	CHANGE_REPORTING, /* it reports again */
	CHANGE_NOTICE,	  /* no fault of a server, or known */
	CHANGE_STRAGGLER, /* a task that runs holds up its job */
	CHANGE_KINDS
};
extern const char *const change_words[CHANGE_KINDS]; /* "opened", … */
extern const bool change_alerts[CHANGE_KINDS];	     /* is for the alert program */

struct change {
	enum change_kind kind;
	int64_t at_ns;	       /* end of the last interval */
	size_t node;	       /* SIZE_MAX: of none in particular */
	char server[HOST_LEN]; /* as on a terminal: clean; "" of none */
	const char *cause; /* a word: of an incident the cause, of a notice its kind; "" of none */
	struct text text;  /* one line, printable ASCII */
	ssize_t incidents, notice, straggler; /* number in the verdict, -1: none */
	bool open;	    /* of an incident: the server limps, or is suspicious */
	enum status status; /* of the server, now; STATUS_UNJUDGED of none in particular */
};

struct changes;

struct changes *changes_new(void); /* NULL: out of memory */
void changes_free(struct changes *c);

/*
 * Tells what is in `a` and was not in the verdict before, in order: whether anything can be judged, what
 * is over, what began or changed, notices, tasks. A notice that is told lasts as long as it is renewed; it is
 * told again once it was away for CHANGES_AGAIN_NS. Notices that were away that long when they are first
 * seen are not told; so are tasks, of which at most CHANGES_TASKS are told at once, and the rest counted. fn may be NULL: only remembered. 0, -ENOMEM, or what fn returned if not 0.
 */
#define CHANGES_AGAIN_NS (600 * NS_PER_S)
enum {
	CHANGES_TASKS = 10
}; /* a server that hangs has as many slots, about; more hide what else is told */
int changes_update(struct changes *c, const struct verdict *a,
		   int (*fn)(void *arg, const struct verdict *a, const struct change *change),
		   void *arg);

/* Whether this server stopped reporting, and has not begun again. */
bool changes_silent_now(const struct verdict *a, size_t node);
/* Whether a notice is still so: renewed within the last windows. */
bool changes_notice_now(const struct verdict *a, const struct notice *m);

#endif
