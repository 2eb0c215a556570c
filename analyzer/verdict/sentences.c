// SPDX-License-Identifier: BSD-2-Clause
/* sentences.h: those that are constants. */
#include "sentences.h"

const char *sentence_verb(const struct incident *in)
{
	if (in->suspicion)
		return in->open ? "is suspicious" : "was suspicious";
	return in->open ? "limps" : "limped";
}

const char *sentence_share(enum share of)
{
	static const char *const text[SHARES] = {
		[SHARE_READ_WRITTEN] = "bytes read and written",
		[SHARE_WRITTEN_READ] = "bytes written and read",
		[SHARE_CPU] = "CPU time",
		[SHARE_RECEIVED] = "bytes received",
		[SHARE_SENT] = "bytes sent",
	};

	return text[of];
}

const char *sentence_why_not(const struct verdict *a, const struct finding *f)
{
	enum signal_role role = verdict_signal(a, f->signal)->role;

	if (role == ROLE_LOAD)
		return "demand, not a fault";
	if (f->symptom || role == ROLE_SYMPTOM)
		return "a symptom, which victims show as well";
	if (f->needs > 0 && f->score < f->needs)
		return "the evidence does not suffice";
	return "no rule finds a fault of this server in it";
}

const char *sentence_unseen(const struct verdict *a, size_t i)
{
	static const char *const text[UNSEEN_KINDS] = {
		[UNSEEN_DISKS] = "disks could not be judged: a slow disk would not be noticed",
		[UNSEEN_LOSS] =
			"lost segments could not be judged: packet loss would not be noticed",
	};

	for (size_t k = 0; k < UNSEEN_KINDS; k++)
		if (a->unseen[k] && !i--)
			return text[k];
	return NULL;
}
