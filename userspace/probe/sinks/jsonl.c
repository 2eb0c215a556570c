// SPDX-License-Identifier: BSD-2-Clause
/* A second as a line of JSON; the format is documented in jsonl.h. */
#include "jsonl.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "userspace/series/series.h"
#include "userspace/common/clock.h"
#include "userspace/common/json_make.h"
#include "userspace/common/output.h"
#include "userspace/common/text.h"

#define DIGITS 9

static const char *const family_keys[FAM_COUNT] = {"disk",   "net",    "tcp",
						   "system", "remote", "process"};
static const char *const op_keys[LAT_OPS] = {"read", "write"};
static const char *const size_keys[LAT_SIZES] = {"<=16K", "<=128K", ">128K"};

/* [[low_us, high_us, count]…] of the buckets in use; the last has no upper end. */
static json_t *hist_json(const uint32_t *n, unsigned int buckets, unsigned int sub_bits, int shift)
{
	json_t *list = json_array();

	for (unsigned int b = 0; b < buckets; b++) {
		double low = (double)(bucket_low(b, sub_bits) << shift) / 1000;
		double high = (double)(bucket_low(b + 1, sub_bits) << shift) / 1000;

		if (n[b])
			json_array_append_new(
				list, json_pack("[f,o,I]", low,
						b + 1 < buckets ? json_real(high) : json_null(),
						(json_int_t)n[b]));
	}
	return list;
}

static json_t *lat_json(const struct lat_hist *lat)
{
	json_t *all = json_object();

	for (int op = 0; op < LAT_OPS; op++) {
		json_t *sizes = json_object();

		for (int size = 0; size < LAT_SIZES; size++)
			json_object_set_new(
				sizes, size_keys[size],
				hist_json(lat->n[op][size], LAT_BUCKETS, LAT_SUB_BITS, LAT_SHIFT));
		json_object_set_new(all, op_keys[op], sizes);
	}
	return all;
}

static int add_row(json_t *line, const struct second_row *row)
{
	const char *key = family_keys[row->family];
	json_t *family = json_object_get(line, key), *at;
	char name[INSTANCE_LEN];

	if (!family) {
		family = json_object();
		if (json_object_set_new(line, key, family))
			return -ENOMEM;
	}
	at = family;
	if (*row->instance) {
		series_copy_text(name, sizeof(name), row->instance);
		at = json_object();
		if (json_object_set_new(family, name, at))
			return -ENOMEM;
	}
	for (int m = metric_first[row->family]; m < metric_first[row->family + 1]; m++)
		if (json_object_set_new(at, metrics[m].name, number_json(second_value(row, m))))
			return -ENOMEM;
	if ((row->lat && json_object_set_new(at, "lat", lat_json(row->lat))) ||
	    (row->dev && json_object_set_new(at, "dev", lat_json(row->dev))) ||
	    (row->runq &&
	     json_object_set_new(at, "runq",
				 hist_json(row->runq->n, RUNQ_BUCKETS, RUNQ_SUB_BITS, RUNQ_SHIFT))))
		return -ENOMEM;
	if (row->cgroup && *row->cgroup) {
		char cgroup[256];

		series_copy_text(cgroup, sizeof(cgroup), row->cgroup);
		if (json_object_set_new(at, "cgroup", json_string(cgroup)))
			return -ENOMEM;
	}
	return 0;
}

static int add_missing(json_t *line, const char *missing)
{
	json_t *list = missing ? json_array() : NULL;

	while (missing && *missing) {
		size_t n = strcspn(missing, "\n");

		json_array_append_new(list, json_stringn(missing, n));
		missing += n + (missing[n] != '\0');
	}
	return list ? json_object_set_new(line, "missing", list) : 0;
}

static char *make_line(const char *host, const struct second *s)
{
	char when[TIME_TEXT_LEN], *text = NULL;
	struct text line = {0};
	json_t *o;
	int err;

	o = json_pack("{s:s, s:s, s:I, s:o, s:f, s:I}", "host", host, "time",
		      output_time_utc(s->wall_ns, when), "seq", (json_int_t)s->seq, "interval_s",
		      number_json(s->interval_s), "late_ms", (double)s->late_ns / NS_PER_MS, "lost",
		      (json_int_t)s->lost);
	if (!o)
		return NULL;
	err = add_missing(o, s->missing);
	for (size_t i = 0; !err && i < s->n_rows; i++)
		err = add_row(o, &s->rows[i]);
	if (!err)
		text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
	json_decref(o);
	if (!text)
		return NULL;
	text_add(&line, "%s\n", text);
	free(text);
	return text_take(&line, NULL);
}

/*
 * Not fwrite(), which a signal leaves with an unknown part of the line in its buffer. Never more
 * than PIPE_BUF at once, which a pipe that polls writable takes without blocking: so a reader that
 * has stalled cannot keep the probe from hearing a signal.
 */
static int write_all(int fd, const char *at, size_t len, int stop_fd)
{
	struct pollfd p[2] = {{.fd = fd, .events = POLLOUT}, {.fd = stop_fd, .events = POLLIN}};

	while (len) {
		ssize_t n;

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (!p[0].revents) {
			if (p[1].revents)
				return -EINTR;
			continue;
		}
		n = write(fd, at, len < PIPE_BUF ? len : PIPE_BUF);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int jsonl_write(FILE *f, const char *host, const struct second *s, int stop_fd)
{
	char *line = make_line(host, s);
	int err = 0;

	if (!line)
		return -ENOMEM;
	errno = 0;
	if (fileno(f) < 0) { /* a stream in memory */
		errno = 0;
		if (fwrite(line, strlen(line), 1, f) != 1 || fflush(f))
			err = errno ? -errno : -EIO;
	} else if (fflush(f)) {
		err = errno ? -errno : -EIO;
	} else {
		err = write_all(fileno(f), line, strlen(line), stop_fd);
	}
	free(line);
	return err;
}
