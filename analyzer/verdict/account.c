// SPDX-License-Identifier: BSD-2-Clause
/* What all outputs of an account need: its end, its words, its first line. */
#include "account.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/output.h"

const char *const remark_words[REMARK_KINDS] = {
	[REMARK_HOT] = "imbalance",
	[REMARK_IDLE] = "idle",
	[REMARK_BOTTLENECK] = "bottleneck",
	[REMARK_HARDWARE] = "hardware",
	[REMARK_ROLE] = "role",
	[REMARK_FLEET] = "fleet",
	[REMARK_STOLEN] = "stolen",
	[REMARK_MAINTENANCE] = "maintenance",
	[REMARK_CLIENT] = "client",
	[REMARK_SILENT] = "silent",
	[REMARK_REBOOT] = "restart",
	[REMARK_ACKNOWLEDGED] = "acknowledged",
};

void account_release(struct account *a)
{
	for (size_t i = 0; i < a->n_accused; i++)
		free(a->accused[i].evidence);
	free(a->nodes);
	free(a->judged);
	free(a->cannot);
	free(a->accused);
	free(a->remarks);
	free(a->abstained);
	free(a->ruled_out);
	free(a->looks);
	free(a->notes);
	*a = (struct account){0};
}

const char *account_node(const struct account *a, size_t node)
{
	return node < a->n_nodes ? a->nodes[node] : "?";
}

double account_printed(enum signal signal, double value)
{
	return signals[signal].per > 0 ? value * signals[signal].per : value;
}

size_t account_judged(const struct account *a)
{
	size_t n = 0;

	for (size_t i = 0; a->judged && i < a->n_nodes; i++)
		n += a->judged[i];
	return n;
}

const struct remark *account_replacement(const struct account *a)
{
	if (a->n_accused)
		return NULL;
	for (size_t i = 0; i < a->n_remarks; i++)
		if (a->remarks[i].replaces)
			return &a->remarks[i];
	return NULL;
}

const char *account_why_not(const struct evidence *e)
{
	if (signals[e->signal].role == ROLE_LOAD)
		return "demand, not a fault";
	if (e->symptom || signals[e->signal].role == ROLE_SYMPTOM)
		return "a symptom only, also seen on victims";
	if (e->decided_ns)
		return "odd, but the rules find no fault of this server in it";
	return e->flagged < 3 ? "a burst, too short for the vote" : "too few windows for the vote";
}

enum { RESTARTS_MAX = 3 };

bool account_restarts(const struct account *a, int64_t since_ns, struct remark *all)
{
	size_t n = 0;

	*all = (struct remark){.kind = REMARK_REBOOT, .node = SIZE_MAX, .from_ns = INT64_MAX};
	for (size_t i = 0; i < a->n_remarks; i++) {
		const struct remark *r = &a->remarks[i];

		if (r->kind != REMARK_REBOOT || r->to_ns < since_ns)
			continue;
		n++;
		all->from_ns = r->from_ns < all->from_ns ? r->from_ns : all->from_ns;
		all->to_ns = r->to_ns > all->to_ns ? r->to_ns : all->to_ns;
	}
	snprintf(all->text, sizeof(all->text), "the probes of %zu servers were started anew", n);
	return n > RESTARTS_MAX;
}

static const struct {
	enum signal any[7]; /* that would have shown it; SIG_COUNT ends them */
	const char *text;
} sights[] = {
	{{SIG_READ, SIG_WRITE, SIG_READ_DEVICE, SIG_WRITE_DEVICE, SIG_READ_AWAIT, SIG_WRITE_AWAIT,
	  SIG_COUNT},
	 "how quick disks are could not be judged: a slow disk would not be noticed"},
	{{SIG_RETRANS, SIG_OOO, SIG_COUNT},
	 "how many segments are lost could not be judged: packet loss would not be noticed"},
};

const char *account_unseen(const struct account *a, size_t i)
{
	if (!account_judged(a) || a->signal_judged[SIG_TABLE])
		return NULL;
	for (size_t k = 0; k < sizeof(sights) / sizeof(*sights); k++) {
		const enum signal *s = sights[k].any;

		while (*s != SIG_COUNT && !a->signal_judged[*s])
			s++;
		if (*s == SIG_COUNT && !i--)
			return sights[k].text;
	}
	return NULL;
}

/* A colon or dot within a word is an address's. */
size_t account_about(const char *text)
{
	size_t n = strcspn(text, ":,(");

	while (text[n] == ':' && text[n + 1] != ' ')
		n += 1 + strcspn(text + n + 1, ":,(");
	return n;
}

const char *account_verdict(const struct account *a)
{
	if (a->n_accused)
		return "indicted";
	if (a->cannot || (!account_judged(a) && !account_replacement(a)))
		return "cannot-judge";
	return account_replacement(a) ? "all-slow" : "clean";
}

long account_process(const struct culprit *c, char name[INSTANCE_LEN])
{
	const char *colon = strrchr(c->name, ':');
	size_t len = strlen(c->name), digits = colon ? strlen(colon + 1) : 0;

	if (c->remote || !digits || digits > 10 || strspn(colon + 1, "0123456789") != digits)
		colon = NULL;
	if (colon)
		len = (size_t)(colon - c->name);
	snprintf(name, INSTANCE_LEN, "%.*s", (int)len, c->name);
	return colon ? strtol(colon + 1, NULL, 10) : -1;
}

/* "fio (pid 1234, /user.slice), 84 % of bytes read from sda"; nothing if nobody is known. */
static void put_culprit(const struct culprit *c, FILE *to)
{
	char name[INSTANCE_LEN], clean[INSTANCE_LEN], cgroup[sizeof(c->cgroup)];
	long pid = account_process(c, name);

	if (!*name)
		return;
	fprintf(to, ": %s", output_clean(name, clean, sizeof(clean)));
	output_clean(c->cgroup, cgroup, sizeof(cgroup));
	if (pid >= 0)
		fprintf(to, " (pid %ld%s%s)", pid, *cgroup ? ", " : "", cgroup);
	else if (*cgroup)
		fprintf(to, " (%s)", cgroup);
	if (isfinite(c->share) && c->of)
		fprintf(to, ", %.0f %% of %s", 100 * c->share, c->of);
}

const char *account_headline(const struct account *a, size_t i, char *buf, size_t size)
{
	const struct accusation *in = &a->accused[i];
	char node[HOST_LEN];
	FILE *to = fmemopen(buf, size, "w");

	*buf = 0;
	if (!to)
		return buf;
	fprintf(to, "%s %s: %s", output_clean(account_node(a, in->node), node, sizeof(node)),
		in->open ? "limps" : "limped", in->cause);
	put_culprit(&in->culprit, to);
	if (*in->detail)
		fprintf(to, "%s %s", *in->culprit.name ? ";" : ":", in->detail);
	fclose(to);
	buf[size - 1] = 0;
	/* details have commas, so output_clean() is not for them */
	for (char *p = buf; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	return buf;
}
