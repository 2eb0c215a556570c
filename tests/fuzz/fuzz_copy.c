// SPDX-License-Identifier: BSD-2-Clause
/*
 * series.h, "copying a file": whatever parts a keeper is given, it refuses them with a reason, or has a file all of which a reader
 * takes. An input is parts, one after the other: 3 bytes, its length, and the rows; but blobs are the bytes without a chunk's number
 * and a section's, not compressed. They are made blobs here, for no mutation would come past their checksums.
 */
#include "fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/copy_rows.h"
#include "userspace/series/series.h"

#define HOST	  "s1"
#define FILE_NAME "s1-20261121.limpet"
#define ORIGIN	  1795230000000000000

static char dir[4096];

static const char *path_of(const char *name)
{
	static char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void remove_files(void)
{
	static const char *const names[] = {FILE_NAME, FILE_NAME "-wal", FILE_NAME "-shm"};
	char aside[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(path_of(names[i]));
	for (int n = 1; n < 9; n++) {
		snprintf(aside, sizeof(aside), "s1-20261121-%d.limpet", n);
		unlink(path_of(aside));
	}
}

static void remove_dir(void)
{
	remove_files();
	rmdir(dir);
}

static void make_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	remove_files();
	if (*dir)
		return;
	if (!tmp)
		tmp = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	snprintf(dir, sizeof(dir), "%s/limpet-fuzz.XXXXXX", tmp);
	MUST(mkdtemp(dir));
	atexit(remove_dir);
}

/* ---- parts ---- */

static void make_blob(struct code_out *o, uint64_t id, int number)
{
	struct code_out plain = *o;

	*o = (struct code_out){0};
	if (!plain.len)
		return;
	code_put_unsigned(o, id);
	code_put_byte(o, (unsigned int)number);
	code_put_bytes(o, plain.at, plain.len);
	code_out_release(&plain);
	MUST(!series_zip(o, 1));
}

static void put_chunk(struct code_out *to, const unsigned char *at, size_t len)
{
	struct part_chunk c;

	part_chunk_get(&c, at, len);
	for (int s = 0; s < SECTIONS; s++)
		make_blob(&c.section[s], c.id, s);
	part_chunk_put(to, &c);
	part_chunk_release(&c);
}

static void put_stacks(struct code_out *to, const unsigned char *at, size_t len)
{
	struct code_in in = {.at = at + 1, .end = at + len};
	unsigned int number = code_get_byte(&in);
	uint64_t id = code_get_unsigned(&in), n;
	int64_t from_ns = code_get_signed(&in), to_ns = code_get_signed(&in);
	struct code_out blob = {0};

	n = code_get_unsigned(&in);
	code_put_bytes(&blob, in.at, n);
	make_blob(&blob, (uint64_t)from_ns, (int)number);
	code_put_byte(to, PART_STACKS);
	code_put_byte(to, number);
	code_put_unsigned(to, id);
	code_put_signed(to, from_ns);
	code_put_signed(to, to_ns);
	code_put_unsigned(to, blob.len);
	code_put_bytes(to, blob.at, blob.len);
	code_out_release(&blob);
}

/* What is no row stays as it is. */
static void make_part(struct code_out *to, const uint8_t *at, size_t len)
{
	static struct part_rows rows;
	size_t behind = 0;

	part_rows(&rows, at, len);
	for (size_t i = 0; i < rows.n; i++) {
		const unsigned char *row = rows.row[i].at;

		if (*row == PART_CHUNK)
			put_chunk(to, row, rows.row[i].len);
		else if (*row == PART_STACKS)
			put_stacks(to, row, rows.row[i].len);
		else
			code_put_bytes(to, row, rows.row[i].len);
		behind = (size_t)(row - at) + rows.row[i].len;
	}
	code_put_bytes(to, at + behind, len - behind);
	MUST(!to->failed);
}

/* ---- what comes of them ---- */

static int see_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	(void)t;
	MUST((unsigned int)row->family < FAM_COUNT && series_instance_valid(row->instance));
	++*(uint64_t *)arg;
	return 0;
}

static int see_device(void *arg, const struct device_identity *id)
{
	(void)arg;
	MUST((unsigned int)id->family < FAM_COUNT && *id->name && series_instance_valid(id->name));
	return 0;
}

static int see_stacks(void *arg, int64_t from_ns, int64_t to_ns, const char *folded, size_t len)
{
	(void)arg;
	(void)folded;
	MUST(from_ns >= 0 && to_ns >= from_ns && len <= SERIES_STACKS_MAX);
	return 0;
}

static void must(int err)
{
	if (err)
		fprintf(stderr, "a reader says: %s\n", series_error());
	MUST(!err);
}

static void read_all(const char *path, uint64_t seconds)
{
	struct series_reader *r;
	int64_t first, last;
	uint64_t n, rows = 0;

	must(series_reader_new(&r, path));
	MUST(!strcmp(series_reader_host(r), HOST));
	must(series_reader_span(r, &n, &first, &last));
	MUST(!seconds || n == seconds - 1);
	must(series_reader_devices(r, see_device, NULL));
	must(series_reader_rows(r, 0, INT64_MAX, SERIES_ALL, HIST_LAT | HIST_DEV | HIST_RUNQ,
				see_row, &rows));
	for (int kind = 0; kind < STACKS_KINDS; kind++)
		must(series_reader_stacks(r, kind, 0, INT64_MAX, see_stacks, NULL));
	series_reader_free(r);
}

static void take(struct series_keeper *k, const struct code_out *part, int *aside)
{
	struct series_cursor before, after;
	int err;

	series_keeper_cursor(k, &before);
	err = series_keeper_take(k, part->at, part->len);
	series_keeper_cursor(k, &after);
	if (!err) {
		MUST(after.kept >= before.kept && after.boot >= before.boot &&
		     after.metric >= before.metric && after.device >= before.device);
	} else if (err == -EEXIST) {
		char name[64];

		snprintf(name, sizeof(name), "s1-20261121-%d.limpet", ++*aside);
		MUST(after.kept == 1 && !after.boot && strstr(series_error(), name));
		read_all(path_of(name), (uint64_t)before.kept);
	} else {
		MUST(err == -EBADMSG && strstr(series_error(), path_of(FILE_NAME)));
		MUST(!memcmp(&before, &after, sizeof(before)));
	}
	MUST(!err || !getenv("FUZZ_TAKEN"));
	MUST(access(path_of(FILE_NAME), F_OK) == (after.boot ? 0 : -1));
	if (after.boot)
		read_all(path_of(FILE_NAME), (uint64_t)after.kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct series_keeper *k;
	struct series_cursor end;
	char *moved;
	int aside = 0;

	make_dir();
	MUST(!series_keeper_open(&k, dir, FILE_NAME, HOST, ORIGIN, &moved) && !moved);
	for (int n = 0; size > 3 && n < 8; n++) {
		size_t len = data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16;
		struct code_out part = {0};

		len = len < size - 3 ? len : size - 3;
		make_part(&part, data + 3, len);
		take(k, &part, &aside);
		code_out_release(&part);
		data += 3 + len;
		size -= 3 + len;
	}
	series_keeper_cursor(k, &end);
	MUST(!getenv("FUZZ_TAKEN") || end.kept > 1);
	series_keeper_close(k);
	/* What is there is found again. */
	MUST(!series_keeper_open(&k, dir, FILE_NAME, HOST, ORIGIN, &moved) && !moved);
	if (end.boot) {
		struct series_cursor again;

		series_keeper_cursor(k, &again);
		MUST(!memcmp(&end, &again, sizeof(end)));
	}
	series_keeper_close(k);
	return 0;
}
