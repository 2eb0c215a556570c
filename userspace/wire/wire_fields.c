// SPDX-License-Identifier: BSD-2-Clause
/* What the body of a frame says: its fields. The checksum is right, so what is wrong here was written so. */
#include <errno.h>
#include <string.h>

#include "internal.h"

/* ---- bytes ---- */

struct wire_reader {
	const unsigned char *at, *end;
	bool bad; /* what is read from then on is 0 */
};

/* Of nothing, too. */
static struct wire_reader reader_of(const unsigned char *at, size_t len)
{
	return (struct wire_reader){.at = at, .end = len ? at + len : at};
}

static uint64_t get_varint(struct wire_reader *r)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; !r->bad && r->at < r->end && shift < 64; shift += 7) {
		unsigned int byte = *r->at++;

		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	r->bad = true;
	return 0;
}

static int64_t get_signed(struct wire_reader *r)
{
	uint64_t v = get_varint(r);

	return (int64_t)(v & 1 ? ~(v >> 1) : v >> 1);
}

static struct wire_part get_part(struct wire_reader *r)
{
	uint64_t len = get_varint(r);
	struct wire_part p = {r->at, (size_t)len};

	if (r->bad || len > (uint64_t)(r->end - r->at)) {
		r->bad = true;
		return (struct wire_part){NULL, 0};
	}
	r->at += len;
	return p;
}

/* Printable ASCII that fits. */
static bool copy_text(struct wire_part p, char *to, size_t size)
{
	*to = '\0';
	if (p.len >= size)
		return false;
	for (size_t i = 0; i < p.len; i++)
		if (p.at[i] < ' ' || p.at[i] > '~')
			return false;
	if (p.len)
		memcpy(to, p.at, p.len);
	to[p.len] = '\0';
	return true;
}

static void get_text(struct wire_reader *r, char *to, size_t size)
{
	r->bad |= !copy_text(get_part(r), to, size);
}

/* ---- fields ---- */

static bool get_device(const struct wire_part *p, struct device_identity *id)
{
	struct wire_reader r = reader_of(p->at, p->len);
	uint64_t family;
	int64_t rotational;

	memset(id, 0, sizeof(*id)); /* its padding too, for it is compared */
	family = get_varint(&r);
	get_text(&r, id->name, sizeof(id->name));
	get_text(&r, id->model, sizeof(id->model));
	get_text(&r, id->firmware, sizeof(id->firmware));
	get_text(&r, id->driver, sizeof(id->driver));
	rotational = get_signed(&r);
	id->size_bytes = get_signed(&r);
	id->speed_mbps = get_signed(&r);
	get_text(&r, id->detail, sizeof(id->detail));
	id->rotational = (int)rotational;
	id->family = family < FAM_COUNT ? (enum metric_family)family : FAM_COUNT;
	return !r.bad && rotational >= -1 && rotational <= 1 && *id->name &&
	       series_instance_valid(id->name);
}

static bool get_fields(struct wire_decoder *d)
{
	struct wire_reader r = reader_of(d->body, d->len);
	struct device_identity id;

	memset(d->field, 0, sizeof(d->field));
	while (!r.bad && r.at < r.end) {
		uint64_t field = get_varint(&r);
		struct wire_part p = get_part(&r);

		if (r.bad || (field == FIELD_DEVICE && !get_device(&p, &id)))
			return false;
		if (!field || field >= WIRE_FIELDS || field == FIELD_DEVICE)
			continue;
		if (d->field[field].at)
			return false;
		d->field[field] = p;
	}
	return !r.bad;
}

static bool get_interval(struct wire_decoder *d)
{
	const struct wire_part *p = &d->field[FIELD_INTERVAL];
	struct wire_reader r = reader_of(p->at, p->len);
	uint64_t ms = p->at ? get_varint(&r) : 0;

	d->interval_ms = (unsigned int)ms;
	return !r.bad && ms >= 1 && ms <= WIRE_INTERVAL_MAX;
}

static int pass(void *arg, const char *entry)
{
	(void)arg;
	(void)entry;
	return 0;
}

static int each_line(const struct wire_decoder *d, enum wire_field field, enum series_lines kind,
		     int (*fn)(void *arg, const char *entry), void *arg)
{
	const struct wire_part *p = &d->field[field];

	return p->at ? series_lines_each(kind, (const char *)p->at, p->len, fn, arg) : 0;
}

static int cannot_be(const struct wire_decoder *d)
{
	return series_fail(-EILSEQ, "a frame of '%s' is damaged, though its checksum is right",
			   d->host);
}

static int unpack(struct wire_decoder *d)
{
	const struct wire_part *second = &d->field[FIELD_SECOND];
	int err;

	if (!get_fields(d) || !get_interval(d) || !second->at ||
	    !copy_text(d->field[FIELD_TOOL], d->tool, sizeof(d->tool)))
		return -EBADMSG;
	err = series_second_unpack(d->second, second->at, second->len);
	if (!err && series_second_time(d->second)->wall_ns != d->wall_ns)
		return -EBADMSG;
	if (!err)
		err = each_line(d, FIELD_CGROUPS, LINES_CGROUPS, pass, NULL);
	if (!err)
		err = each_line(d, FIELD_PIDS, LINES_PIDS, pass, NULL);
	return err ? err : each_line(d, FIELD_MISSING, LINES_MISSING, pass, NULL);
}

int wire_decoder_unpack(struct wire_decoder *d)
{
	int err = d->complete && d->head[AT_KIND] == WIRE_SECOND ? unpack(d) : -EBADMSG;

	d->unpacked = !err;
	return !err || err == -ENOMEM ? err : cannot_be(d);
}

/* ---- copies and lines ---- */

int wire_decoder_copy(struct wire_decoder *d, const void **part, size_t *len)
{
	const struct wire_part *p = &d->field[FIELD_COPY];

	if (!d->complete || d->head[AT_KIND] != WIRE_COPY || !get_fields(d) || !p->at)
		return cannot_be(d);
	*part = p->at;
	*len = p->len;
	return 0;
}

/* Bytes as they are, but for a NUL. */
static bool copy_bytes(struct wire_part p, char *to, size_t size)
{
	if (!p.at || p.len >= size || memchr(p.at, 0, p.len))
		return false;
	memcpy(to, p.at, p.len);
	to[p.len] = '\0';
	return true;
}

/* Where there are bytes it must be said, and none of them may be beyond what a file can have. */
static bool get_offset(struct wire_decoder *d, uint64_t *offset)
{
	const struct wire_part *p = &d->field[FIELD_OFFSET], *bytes = &d->field[FIELD_BYTES];
	struct wire_reader r = reader_of(p->at, p->len);

	*offset = p->at ? get_varint(&r) : 0;
	return !r.bad && r.at == r.end && (p->at || !bytes->len) &&
	       *offset <= INT64_MAX - bytes->len;
}

int wire_decoder_lines(struct wire_decoder *d, const struct wire_lines **lines)
{
	bool good = d->complete && d->head[AT_KIND] == WIRE_LINES && get_fields(d);
	uint64_t offset = 0;

	if (!good || !copy_bytes(d->field[FIELD_PATH], d->path, sizeof(d->path)) ||
	    !copy_bytes(d->field[FIELD_IDENTITY], d->identity, sizeof(d->identity)) ||
	    !wire_path_valid(d->path) || !wire_identity_valid(d->identity) ||
	    !get_offset(d, &offset))
		return cannot_be(d);
	d->lines = (struct wire_lines){.path = d->path,
				       .identity = d->identity,
				       .offset = offset,
				       .at = d->field[FIELD_BYTES].at,
				       .len = d->field[FIELD_BYTES].len};
	*lines = &d->lines;
	return 0;
}

/* ---- what they say ---- */

void wire_decoder_want(struct wire_decoder *d, const bool *wanted)
{
	series_second_want(d->second, wanted);
}

unsigned int wire_decoder_interval_ms(const struct wire_decoder *d)
{
	return d->interval_ms;
}

const char *wire_decoder_tool(const struct wire_decoder *d)
{
	return d->tool;
}

const struct series_time *wire_decoder_time(const struct wire_decoder *d)
{
	return series_second_time(d->second);
}

int wire_decoder_rows(struct wire_decoder *d, unsigned int hists, series_row_fn fn, void *arg)
{
	return d->unpacked ? series_second_rows(d->second, hists, fn, arg) : 0;
}

int wire_decoder_devices(const struct wire_decoder *d,
			 int (*fn)(void *arg, const struct device_identity *id), void *arg)
{
	struct wire_reader r = reader_of(d->body, d->len);
	struct device_identity id;
	int err = 0;

	while (d->unpacked && !err && !r.bad && r.at < r.end) {
		uint64_t field = get_varint(&r);
		struct wire_part p = get_part(&r);

		/* Of a family that we do not know it is passed over. */
		if (field == FIELD_DEVICE && get_device(&p, &id) && id.family < FAM_COUNT)
			err = fn(arg, &id);
	}
	return err;
}

int wire_decoder_cgroups(const struct wire_decoder *d, int (*fn)(void *arg, const char *path),
			 void *arg)
{
	return d->unpacked ? each_line(d, FIELD_CGROUPS, LINES_CGROUPS, fn, arg) : 0;
}

int wire_decoder_pids(const struct wire_decoder *d, int (*fn)(void *arg, const char *pid),
		      void *arg)
{
	return d->unpacked ? each_line(d, FIELD_PIDS, LINES_PIDS, fn, arg) : 0;
}

int wire_decoder_missing(const struct wire_decoder *d, int (*fn)(void *arg, const char *text),
			 void *arg)
{
	return d->unpacked ? each_line(d, FIELD_MISSING, LINES_MISSING, fn, arg) : 0;
}
