// SPDX-License-Identifier: BSD-2-Clause
/* The devices a writer knows, and the rows that stand for them in the open file. */
#include "series_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDENTITY "model, firmware, driver, rotational, size_bytes, speed_mbps"

/* What may stand in a file as the name of an instance. */
static void copy_name(char to[INSTANCE_LEN], const char *from)
{
	series_copy_text(to, INSTANCE_LEN, from);
	for (; *to; to++)
		if (*to == ' ')
			*to = '?';
}

static struct series_device *device_get(struct series_writer *w, enum metric_family family,
					const char *instance)
{
	struct series_device *d;
	char name[INSTANCE_LEN];

	copy_name(name, instance);
	for (d = w->devices; d < w->devices + w->n_devices; d++)
		if (d->id.family == family && !strcmp(d->id.name, name))
			return d;
	if (w->n_devices == w->cap_devices) {
		size_t cap = w->cap_devices ? 2 * w->cap_devices : 8;

		d = realloc(w->devices, cap * sizeof(*d));
		if (!d)
			return NULL;
		w->devices = d;
		w->cap_devices = cap;
	}
	d = &w->devices[w->n_devices++];
	memset(d, 0, sizeof(*d));
	d->id.family = family;
	memcpy(d->id.name, name, sizeof(name));
	d->id.rotational = -1;
	d->id.size_bytes = d->id.speed_mbps = -1;
	return d;
}

int series_writer_identity(struct series_writer *w, const struct device_identity *id)
{
	struct device_identity copy;
	struct series_device *d;

	if ((unsigned int)id->family >= FAM_COUNT || !*id->name)
		return series_fail(-EINVAL, "a device needs a family and a name");
	d = device_get(w, id->family, id->name);
	if (!d)
		return series_no_memory();
	copy = d->id; /* with its padding, for memcmp() */
	series_copy_text(copy.model, sizeof(copy.model), id->model);
	series_copy_text(copy.firmware, sizeof(copy.firmware), id->firmware);
	series_copy_text(copy.driver, sizeof(copy.driver), id->driver);
	copy.rotational = id->rotational < 0 ? -1 : !!id->rotational;
	copy.size_bytes = id->size_bytes < 0 ? -1 : id->size_bytes;
	copy.speed_mbps = id->speed_mbps < 0 ? -1 : id->speed_mbps;
	if (!d->known || memcmp(&d->id, &copy, sizeof(copy)))
		d->row_id = 0;
	d->id = copy;
	d->known = 1;
	return 0;
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
	int rc = SQLITE_NOMEM;

	named = sqlite3_mprintf("family = %Q AND name = %Q", metric_family_names[id->family],
				id->name);
	identity = sqlite3_mprintf("nullif(%Q, ''), nullif(%Q, ''), nullif(%Q, ''), nullif(%d, -1),"
				   " nullif(%lld, -1), nullif(%lld, -1)",
				   id->model, id->firmware, id->driver, id->rotational,
				   (long long)id->size_bytes, (long long)id->speed_mbps);
	same = d->known ? sqlite3_mprintf("%s AND (" IDENTITY ") IS (%s)", named, identity)
			: sqlite3_mprintf("%s", named);
	if (named && identity && same)
		rc = series_sql(w->db, &d->row_id,
				"UPDATE device SET (" IDENTITY ") = (%s) WHERE %s AND"
				" coalesce(" IDENTITY ") IS NULL;"
				"INSERT INTO device(family, name, " IDENTITY ") SELECT %Q, %Q, %s"
				" WHERE NOT EXISTS (SELECT 1 FROM device WHERE %s);"
				"SELECT max(id) FROM device WHERE %s",
				identity, named, metric_family_names[id->family], id->name,
				identity, same, same);
	sqlite3_free(named);
	sqlite3_free(identity);
	sqlite3_free(same);
	return rc;
}

int series_devices_store(struct series_writer *w)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < w->n_devices; i++)
		if (w->devices[i].known && !w->devices[i].row_id)
			rc = device_store(w, &w->devices[i]);
	return rc;
}

int series_device_row(struct series_writer *w, enum metric_family family, const char *instance,
		      int64_t *row_id)
{
	struct series_device *d;
	int rc = 0;

	*row_id = SERIES_NO_DEVICE;
	if (!*instance)
		return 0;
	d = device_get(w, family, instance);
	if (!d)
		return SQLITE_NOMEM;
	if (!d->row_id)
		rc = device_store(w, d);
	*row_id = d->row_id;
	return rc;
}
