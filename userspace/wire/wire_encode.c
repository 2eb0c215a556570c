// SPDX-License-Identifier: BSD-2-Clause
/* From a second in memory to a frame. wire.h documents every byte. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "internal.h"

#define DESCRIBE_EVERY (60 * NS_PER_S)

struct wire_encoder {
	char host[HOST_LEN], tool[WIRE_TOOL_LEN];
	unsigned int interval_ms;
	int64_t boot_ns;
	int level;
	struct series_second *packer;
	struct device_identity *devices;
	size_t n_devices;
	char *cgroups, *pids, *missing;
	bool changed;	      /* something of these since the last frame */
	int64_t described_ns; /* the second of the frame that said them */
	struct text body;
};

/* ---- life ---- */

int wire_encoder_new(struct wire_encoder **out, const struct wire_encoder_opts *o)
{
	const char *wrong = series_check_host(o->host);
	struct wire_encoder *e;
	int err;

	*out = NULL;
	if (wrong)
		return series_fail(-EINVAL, "'%s': %s", o->host, wrong);
	e = calloc(1, sizeof(*e));
	if (!e)
		return series_fail(-ENOMEM, "out of memory");
	snprintf(e->host, sizeof(e->host), "%s", o->host);
	series_copy_text(e->tool, sizeof(e->tool), o->tool);
	e->interval_ms = o->interval_ms;
	e->boot_ns = o->boot_ns;
	e->level = o->level;
	e->changed = true;
	err = series_second_new(&e->packer);
	if (err)
		wire_encoder_free(e);
	else
		*out = e;
	return err;
}

void wire_encoder_free(struct wire_encoder *e)
{
	if (!e)
		return;
	series_second_free(e->packer);
	text_release(&e->body);
	free(e->devices);
	free(e->cgroups);
	free(e->pids);
	free(e->missing);
	free(e);
}

/* ---- what stays from second to second ---- */

int wire_encoder_identity(struct wire_encoder *e, const struct device_identity *id)
{
	struct device_identity *at;
	size_t i = 0;

	while (i < e->n_devices &&
	       (e->devices[i].family != id->family || strcmp(e->devices[i].name, id->name)))
		i++;
	if (i == WIRE_DEVICES_MAX)
		return 0;
	at = i < e->n_devices ? &e->devices[i] : array_add(&e->devices, &e->n_devices);
	if (!at)
		return series_fail(-ENOMEM, "out of memory");
	*at = *id;
	e->changed = true;
	return 0;
}

static int replace_lines(struct wire_encoder *e, char **old, char *lines, int err)
{
	if (err)
		return err;
	free(*old);
	*old = lines;
	e->changed = true;
	return 0;
}

int wire_encoder_set_cgroups(struct wire_encoder *e, const char *const *cgroups, size_t n)
{
	char *lines;
	int err = series_lines_of_cgroups(&lines, cgroups, n);

	return replace_lines(e, &e->cgroups, lines, err);
}

int wire_encoder_set_pids(struct wire_encoder *e, const uint32_t *pids, size_t n)
{
	char *lines;
	int err = series_lines_of_pids(&lines, pids, n);

	return replace_lines(e, &e->pids, lines, err);
}

static int take_missing(struct wire_encoder *e, const char *missing)
{
	char *lines;
	int err = series_lines_of_missing(&lines, missing);

	if (!err && (!lines != !e->missing || (lines && strcmp(lines, e->missing) != 0)))
		return replace_lines(e, &e->missing, lines, 0);
	if (!err)
		free(lines);
	return err;
}

/* ---- bytes ---- */

static void put_signed(struct text *t, int64_t v)
{
	wire_put_varint(t, v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1);
}

static void put_text(struct text *t, const char *from)
{
	char clean[sizeof(((struct device_identity *)NULL)->detail)];

	series_copy_text(clean, sizeof(clean), from);
	wire_put_varint(t, strlen(clean));
	text_put(t, clean);
}

static void put_name(struct text *t, const char *from)
{
	char name[INSTANCE_LEN];

	series_copy_name(name, from);
	put_text(t, name);
}

static void put_interval(struct text *t, unsigned int ms)
{
	struct text of TEXT_SCOPED = {0};

	wire_put_varint(&of, ms);
	wire_put_field(t, FIELD_INTERVAL, text_of(&of), of.len);
	if (of.failed)
		text_fail(t);
}

static void put_lines(struct text *t, enum wire_field field, const char *lines)
{
	/* None is said, too: a probe that is told less than before. */
	wire_put_field(t, field, lines ? lines : "", lines ? strlen(lines) : 0);
}

static void put_device(struct text *t, const struct device_identity *id)
{
	struct text of TEXT_SCOPED = {0};

	wire_put_varint(&of, id->family);
	put_name(&of, id->name);
	put_text(&of, id->model);
	put_text(&of, id->firmware);
	put_text(&of, id->driver);
	put_signed(&of, id->rotational);
	put_signed(&of, id->size_bytes);
	put_signed(&of, id->speed_mbps);
	put_text(&of, id->detail);
	wire_put_field(t, FIELD_DEVICE, text_of(&of), of.len);
	if (of.failed)
		text_fail(t);
}

static void describe(struct wire_encoder *e)
{
	struct text *t = &e->body;

	wire_put_field(t, FIELD_TOOL, e->tool, strlen(e->tool));
	put_lines(t, FIELD_CGROUPS, e->cgroups);
	put_lines(t, FIELD_PIDS, e->pids);
	put_lines(t, FIELD_MISSING, e->missing);
	for (size_t i = 0; i < e->n_devices; i++)
		put_device(t, &e->devices[i]);
}

static void put_process(struct text *t, const struct second_row *row)
{
	struct device_identity id = {
		.family = FAM_PROCESS, .rotational = -1, .size_bytes = -1, .speed_mbps = -1};

	if (!row->cgroup || !*row->cgroup)
		return;
	snprintf(id.name, sizeof(id.name), "%s", row->instance);
	snprintf(id.detail, sizeof(id.detail), "%s", row->cgroup);
	put_device(t, &id);
}

int wire_encode(struct wire_encoder *e, const struct second *s, uint64_t lost, struct text *to)
{
	struct text packed TEXT_SCOPED = {0};
	struct second counted = *s;
	bool described;
	int err;

	counted.lost += lost;
	err = s->wall_ns < 0 ? series_fail(-EINVAL, "a second is before 1970")
			     : take_missing(e, s->missing);
	described = e->changed || s->wall_ns < e->described_ns ||
		    s->wall_ns - e->described_ns >= DESCRIBE_EVERY;
	if (!err)
		err = series_second_pack(e->packer, &counted, e->boot_ns, e->level, &packed);
	if (err)
		return err;
	text_reset(&e->body);
	wire_put_field(&e->body, FIELD_SECOND, text_of(&packed), packed.len);
	put_interval(&e->body, e->interval_ms);
	if (described)
		describe(e);
	for (size_t i = 0; i < s->n_rows; i++)
		if (s->rows[i].family == FAM_PROCESS)
			put_process(&e->body, &s->rows[i]);
	if (!e->body.failed && e->body.len > WIRE_BODY_MAX)
		return series_fail(-E2BIG, "second %llu is larger than a frame may be",
				   (unsigned long long)s->seq);
	err = wire_put_frame(to, WIRE_SECOND, e->host, s->wall_ns, &e->body);
	if (err)
		return err;
	/* Only now is it said. */
	e->described_ns = described ? s->wall_ns : e->described_ns;
	e->changed = false;
	return 0;
}
