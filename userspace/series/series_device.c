// SPDX-License-Identifier: BSD-2-Clause
/* The devices a writer knows, and the rows that stand for them in the open file. */
#include "series_writer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

#define IDENTITY "model, firmware, driver, rotational, size_bytes, speed_mbps, detail"
#define REST	 "(rest)"

static uint64_t device_hash(enum metric_family family, const char *name)
{
	return map_hash_after((uint64_t)family, name, strlen(name));
}

/* 0 and *device, NULL when there are too many of that family; or -ENOMEM. */
static int device_get(struct series_writer *w, enum metric_family family, const char *instance,
		      struct series_device **device)
{
	struct series_device *d;
	char name[INSTANCE_LEN];
	uint64_t hash;
	size_t at;

	*device = NULL;
	series_copy_name(name, instance);
	hash = device_hash(family, name);
	at = map_find(i, &w->by_name, hash,
		      w->devices[i].id.family == family && !strcmp(w->devices[i].id.name, name));
	if (at != MAP_NONE) {
		d = &w->devices[at];
	} else {
		/* Twice as many as a file takes, for some are of yesterday; and "(rest)". */
		if (w->n_of_family[family] > 2 * SERIES_MAX_DEVICES)
			return 0;
		d = map_append(&w->by_name, hash, array_add(&w->devices, &w->n_devices),
			       &w->n_devices);
		if (!d)
			return -ENOMEM;
		w->n_of_family[family]++;
		d->id.family = family;
		memcpy(d->id.name, name, sizeof(name));
		d->id.rotational = -1;
		d->id.size_bytes = d->id.speed_mbps = -1;
	}
	d->touched = w->generation;
	*device = d;
	return 0;
}

int series_writer_identity(struct series_writer *w, const struct device_identity *id)
{
	struct device_identity copy;
	struct series_device *d;

	if ((unsigned int)id->family >= FAM_COUNT || !*id->name)
		return series_fail(-EINVAL, "a device needs a family and a name");
	if (device_get(w, id->family, id->name, &d))
		return series_no_memory();
	if (!d)
		return 0;
	copy = d->id; /* with its padding, for memcmp() */
	series_copy_text(copy.model, sizeof(copy.model), id->model);
	series_copy_text(copy.firmware, sizeof(copy.firmware), id->firmware);
	series_copy_text(copy.driver, sizeof(copy.driver), id->driver);
	series_copy_text(copy.detail, sizeof(copy.detail), id->detail);
	copy.rotational = id->rotational < 0 ? -1 : !!id->rotational;
	copy.size_bytes = id->size_bytes < 0 ? -1 : id->size_bytes;
	copy.speed_mbps = id->speed_mbps < 0 ? -1 : id->speed_mbps;
	if (!d->known || memcmp(&d->id, &copy, sizeof(copy)))
		d->row_id = 0;
	d->id = copy;
	d->known = 1;
	return 0;
}

/* Processes and remote hosts come and go without end; disks and interfaces stay. */
void series_devices_next_day(struct series_writer *w)
{
	size_t n = 0;

	w->generation++;
	map_clear(&w->by_name);
	memset(w->n_of_family, 0, sizeof(w->n_of_family));
	for (size_t i = 0; i < w->n_devices; i++) {
		const struct series_device *d = &w->devices[i];

		if ((d->id.family == FAM_PROCESS || d->id.family == FAM_REMOTE) &&
		    d->touched + 1 < w->generation)
			continue;
		map_add(&w->by_name, device_hash(d->id.family, d->id.name));
		w->n_of_family[d->id.family]++;
		w->devices[n++] = *d;
	}
	w->n_devices = n;
}

void series_devices_free(struct series_writer *w)
{
	free(w->devices);
	map_release(&w->by_name);
}

/*
 * A device that changed (a disk replaced under the same name) gets a new row, so that what was
 * measured before stays with what it was measured on; one that was seen before its identity was
 * known has it filled in. Without an identity, the latest row of the name will do.
 */
static int device_store(struct series_writer *w, struct series_device *d)
{
	const struct device_identity *id = &d->id;
	char *named, *identity, *same;
	int rc = SQLITE_NOMEM, full;

	full = w->n_stored[id->family] >= SERIES_MAX_DEVICES && strcmp(id->name, REST) != 0;
	named = sqlite3_mprintf("family = %Q AND name = %Q", metric_family_names[id->family],
				id->name);
	identity =
		sqlite3_mprintf("nullif(%Q, ''), nullif(%Q, ''), nullif(%Q, ''), nullif(%d, -1),"
				" nullif(%lld, -1), nullif(%lld, -1), nullif(%Q, '')",
				id->model, id->firmware, id->driver, id->rotational,
				(long long)id->size_bytes, (long long)id->speed_mbps, id->detail);
	same = d->known && !full ? sqlite3_mprintf("%s AND (" IDENTITY ") IS (%s)", named, identity)
				 : sqlite3_mprintf("%s", named);
	if (named && identity && same)
		rc = series_sql(w->db, &d->row_id,
				"UPDATE device SET (" IDENTITY ") = (%s) WHERE %s AND"
				" coalesce(" IDENTITY ") IS NULL;"
				"INSERT INTO device(family, name, " IDENTITY ") SELECT %Q, %Q, %s"
				" WHERE NOT EXISTS (SELECT 1 FROM device WHERE %s) AND NOT %d;"
				"SELECT max(id) FROM device WHERE %s",
				identity, named, metric_family_names[id->family], id->name,
				identity, same, full, same);
	if (!rc && d->row_id > w->last_device) {
		w->last_device = d->row_id;
		w->n_stored[id->family]++;
	}
	sqlite3_free(named);
	sqlite3_free(identity);
	sqlite3_free(same);
	return rc;
}

int series_devices_store(struct series_writer *w)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < w->n_devices; i++)
		if (w->devices[i].known && !w->devices[i].row_id &&
		    w->devices[i].id.family != FAM_PROCESS && w->devices[i].id.family != FAM_REMOTE)
			rc = device_store(w, &w->devices[i]);
	return rc;
}

/* Its row, 0 where there is none left. */
static int resolve(struct series_writer *w, struct grid_row *row)
{
	struct series_device *d;
	int rc = 0;

	row->device = SERIES_NO_DEVICE;
	if (!*row->instance)
		return 0;
	if (device_get(w, row->family, row->instance, &d))
		return SQLITE_NOMEM;
	if (d && !d->row_id)
		rc = device_store(w, d);
	row->device = d ? d->row_id : SERIES_NO_DEVICE;
	return rc;
}

static int add_to_rest(struct series_writer *w, struct grid *g, const struct grid_row *row)
{
	struct grid_row *rest = grid_row_get(g, row->family, REST);
	int rc = rest ? resolve(w, rest) : SQLITE_NOMEM;

	if (!rc)
		rest->present[0] = 1;
	for (int m = FIRST_PROCESS; !rc && m < M_COUNT; m++) {
		const double *v = grid_values(row, m);
		double *sum = v ? grid_column(g, rest, m) : NULL;

		if (v && !sum)
			rc = SQLITE_NOMEM;
		else if (sum)
			*sum = isnan(*sum) ? *v : *sum + *v;
	}
	return rc;
}

int series_devices_resolve(struct series_writer *w, struct grid *g)
{
	size_t n = g->n_all;
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		struct grid_row *row = g->all[i];

		rc = resolve(w, row);
		if (rc || row->device || row->family != FAM_PROCESS || !*row->instance)
			continue;
		rc = add_to_rest(w, g, row);
		row->present[0] = 0;
	}
	grid_drop_absent(g, FAM_PROCESS);
	return rc;
}
