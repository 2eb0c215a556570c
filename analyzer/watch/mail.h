/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mail about a server that limps, as a message that a sendmail takes from its standard input: who limps and why in the
 * subject; evidence, commands that may help and a link in the text. All of it is printable ASCII. Mails about one incident
 * refer to the same message, which nobody sends: so they stand together where mail is read, whichever of them were sent, and by whichever run.
 */
#ifndef LIMPET_WATCH_MAIL_H
#define LIMPET_WATCH_MAIL_H

#include "analyzer/verdict/verdict.h"
#include "userspace/common/options.h"
#include "userspace/common/text.h"

struct mail_opts {
	struct string_list to;	/* addresses; none: no mail */
	const char *site, *url; /* of the subject, and of links; NULL: none */
};

/* One mail. */
struct mail {
	const char *line, *body; /* what is so, in a sentence, and what mail_body() made of it */
	uint64_t incident;	 /* 0: of none */
	int64_t at_ns;
};

/* An address that a sendmail takes for one, and no option or list. */
bool mail_is_address(const char *s);
/* Adds evidence and next steps of an incident. */
void mail_body(struct text *t, const struct verdict *a, const struct incident *in);
/* Adds the message. */
void mail_message(struct text *t, const struct mail_opts *o, const struct mail *m);

#endif
