// SPDX-License-Identifier: BSD-2-Clause
/* history_text.h: logs before 1.x do not say how far a map was from its input, but where that was. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history_text.h"
#include "userspace/common/array.h"

enum {
	TASKS_MAX = 1 << 20,   /* of which it is remembered where their input lies … */
	PLACES_MAX = 64 << 20, /* … in so many bytes */
};

static int64_t add_place(struct history_places *p, struct names *set, const struct piece *v)
{
	if (!v->s || !v->len || v->len >= LOG_ITEM_LEN || memchr(v->s, 0, v->len))
		return -1;
	errno = 0;
	set->max = TASKS_MAX;
	if (names_find_n(set, v->s, v->len) < 0)
		p->bytes += v->len;
	return p->bytes > PLACES_MAX ? -1 : names_add_n(set, v->s, v->len);
}

int history_place(struct history_places *p, const struct piece v[K_COUNT])
{
	size_t had = p->tasks.n;
	int64_t place, task;

	if (!v[K_SPLITS].len)
		return 0;
	place = add_place(p, &p->places, &v[K_SPLITS]);
	task = place < 0 ? -1 : add_place(p, &p->tasks, &v[K_TASKID]);
	if (task < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	if (array_extend(&p->place, had, p->tasks.n))
		return -ENOMEM;
	p->place[task] = (uint32_t)place;
	return 0;
}

/* "/rack/host" of an attempt against "/rack/host,/rack/host" of its input, as 1.x words it. */
static const char *locality(const char *places, const struct piece *host)
{
	const char *rack = memrchr(host->s, '/', host->len), *word = "OFF_SWITCH";
	size_t rack_len = rack ? (size_t)(rack - host->s) + 1 : 0;

	for (const char *p = places, *end; *p; p = *end ? end + 1 : end) {
		end = strchrnul(p, ',');
		if ((size_t)(end - p) == host->len && !memcmp(p, host->s, host->len))
			return "NODE_LOCAL";
		if (rack_len && (size_t)(end - p) > rack_len && !memcmp(p, host->s, rack_len) &&
		    !memchr(p + rack_len, '/', (size_t)(end - p) - rack_len))
			word = "RACK_LOCAL";
	}
	return word;
}

const char *history_locality(const struct history_places *p, const struct piece v[K_COUNT])
{
	const struct piece *id = &v[K_TASKID], *host = &v[K_HOSTNAME];
	int64_t task;

	if (!id->s || id->len >= LOG_ITEM_LEN || !host->len)
		return "";
	task = names_find_n(&p->tasks, id->s, id->len);
	return task < 0 ? "" : locality(p->places.at[p->place[task]], host);
}

void history_places_release(struct history_places *p)
{
	names_release(&p->tasks);
	names_release(&p->places);
	free(p->place);
	*p = (struct history_places){0};
}
