// SPDX-License-Identifier: BSD-2-Clause
/* What writer and reader of the series file share: errors, SQL in one call, the rules for names. */
#include "series_schema.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static _Thread_local char error_text[1024];

const char *series_error(void)
{
	return error_text;
}

int series_fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error_text, sizeof(error_text), fmt, ap);
	va_end(ap);
	return err;
}

int series_no_memory(void)
{
	return series_fail(-ENOMEM, "out of memory");
}

static int sqlite_errno(sqlite3 *db, int rc)
{
	int sys = db ? sqlite3_system_errno(db) : 0;

	switch (rc & 0xff) {
	case SQLITE_OK: return 0;
	case SQLITE_NOMEM: return -ENOMEM;
	case SQLITE_FULL: return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return -EBUSY;
	case SQLITE_READONLY: return -EROFS;
	case SQLITE_PERM:
	case SQLITE_AUTH: return -EACCES;
	case SQLITE_CANTOPEN: return sys ? -sys : -ENOENT;
	case SQLITE_IOERR: return sys ? -sys : -EIO;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_INTERRUPT:
	case SQLITE_TOOBIG:
	case SQLITE_ERROR: return -EBADMSG;
	case SQLITE_CONSTRAINT: return -EEXIST;
	default: return -EIO;
	}
}

static const char *sqlite_reason(sqlite3 *db, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_FULL: return strerror(ENOSPC);
	case SQLITE_BUSY: return "another program holds it locked";
	case SQLITE_CORRUPT: return "it is damaged";
	case SQLITE_NOTADB: return "it is not a SQLite database";
	case SQLITE_TOOBIG: return "it is damaged: a value is too large";
	case SQLITE_INTERRUPT:
		return "it is damaged: reading it takes more steps than its size explains";
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		if (db && sqlite3_system_errno(db))
			return strerror(sqlite3_system_errno(db));
		break;
	}
	return db ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
}

int series_sql_fail(sqlite3 *db, int rc, const char *cannot, const char *path)
{
	return series_fail(sqlite_errno(db, rc), "%s '%s': %s", cannot, path,
			   sqlite_reason(db, rc));
}

static int take_row(void *arg, int n, char **values, char **names)
{
	int64_t *v = arg;

	(void)names;
	for (int i = 0; v && i < n; i++)
		v[i] = values[i] ? strtoll(values[i], NULL, 10) : 0;
	return 0;
}

int series_vsql(sqlite3 *db, int64_t *v, const char *fmt, va_list ap)
{
	char *sql = sqlite3_vmprintf(fmt, ap);
	int rc = sql ? sqlite3_exec(db, sql, take_row, v, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return rc;
}

int series_sql(sqlite3 *db, int64_t *v, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = series_vsql(db, v, fmt, ap);
	va_end(ap);
	return rc;
}

int series_check_schema(sqlite3 *db, const char *cannot, const char *path, const char *advice)
{
	enum { APP, SCHEMA, TABLES };
	int64_t v[3] = {0};
	int rc = series_sql(db, &v[APP], "PRAGMA application_id");

	if (!rc)
		rc = series_sql(db, &v[SCHEMA], "PRAGMA user_version");
	if (!rc)
		rc = series_sql(db, &v[TABLES], "SELECT count(name) FROM sqlite_master");
	if (rc)
		return series_fail(sqlite_errno(db, rc), "%s '%s': %s%s", cannot, path,
				   sqlite_reason(db, rc), advice);
	if (!v[APP] && !v[SCHEMA] && !v[TABLES])
		return 1;
	if (v[APP] != SERIES_APP_ID)
		return series_fail(-EINVAL,
				   "%s '%s': it is not a series file, but another program's "
				   "SQLite database%s",
				   cannot, path, advice);
	if (v[SCHEMA] != SERIES_SCHEMA)
		return series_fail(-EPROTONOSUPPORT,
				   "%s '%s': written by %s limpet (schema %lld, this reads %d)%s",
				   cannot, path,
				   v[SCHEMA] < 1	       ? "an unknown"
				   : v[SCHEMA] < SERIES_SCHEMA ? "an older"
							       : "a newer",
				   (long long)v[SCHEMA], SERIES_SCHEMA, advice);
	return 0;
}

const char *series_check_host(const char *host)
{
	size_t n = strlen(host);

	if (!n)
		return "a host name must not be empty";
	if (n >= HOST_LEN)
		return "a host name must be shorter than 64 characters";
	if (*host == '.' || *host == '-')
		return "a host name must not begin with '.' or '-'";
	if (strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != n)
		return "a host name may have letters, digits, '.', '_' and '-' only";
	return NULL;
}

int series_instance_valid(const char *name)
{
	size_t n = 0;

	for (; name[n]; n++)
		if (n == INSTANCE_LEN - 1 || name[n] <= ' ' || name[n] > '~')
			return 0;
	return 1;
}

void series_copy_text(char *to, size_t size, const char *from)
{
	size_t i = 0;

	for (; i + 1 < size && from[i]; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	to[i] = 0;
}

void series_copy_name(char to[INSTANCE_LEN], const char *from)
{
	series_copy_text(to, INSTANCE_LEN, from);
	for (; *to; to++)
		if (*to == ' ')
			*to = '?';
}

uint32_t series_metric_check(int64_t id, const char *family, const char *name, int rate, double per)
{
	char text[160];
	int n = snprintf(text, sizeof(text), "%lld %s %s %s %.17g", (long long)id, family, name,
			 rate ? "rate" : "gauge", per);

	n = n < (int)sizeof(text) ? n : (int)sizeof(text) - 1;
	return (uint32_t)adler32(1, (const unsigned char *)text, (uInt)n);
}
