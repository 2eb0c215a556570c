// SPDX-License-Identifier: BSD-2-Clause
/* What writer and reader of the series file share: errors, names, the coding of histograms. */
#include "series_schema.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

int series_sqlite_errno(sqlite3 *db, int rc)
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

const char *series_sqlite_reason(sqlite3 *db, int rc)
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

static size_t put_varint(unsigned char *buf, uint32_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		buf[n++] = (unsigned char)(v | 0x80);
	buf[n++] = (unsigned char)v;
	return n;
}

size_t series_lat_encode(const struct lat_hist *lat, unsigned char *buf)
{
	const uint32_t *flat = &lat->n[0][0][0];
	uint32_t skipped = 0;
	size_t len = 0;

	for (size_t i = 0; i < LAT_FLAT; i++) {
		if (!flat[i]) {
			skipped++;
			continue;
		}
		len += put_varint(buf + len, skipped);
		len += put_varint(buf + len, flat[i]);
		skipped = 0;
	}
	return len;
}

/* Advances *at; -EBADMSG at the end of the buffer or beyond 32 bits. */
static int get_varint(const unsigned char **at, const unsigned char *end, uint32_t *v)
{
	uint64_t sum = 0;

	for (unsigned int shift = 0; shift < 35; shift += 7) {
		if (*at == end)
			return -EBADMSG;
		sum |= (uint64_t)(**at & 0x7f) << shift;
		if (!(*(*at)++ & 0x80)) {
			*v = (uint32_t)sum;
			return sum > UINT32_MAX ? -EBADMSG : 0;
		}
	}
	return -EBADMSG;
}

int series_lat_decode(struct lat_hist *lat, const unsigned char *buf, size_t len)
{
	uint32_t *flat = &lat->n[0][0][0];
	const unsigned char *end = buf + len;
	uint32_t skipped, count;
	size_t at = 0;

	memset(lat, 0, sizeof(*lat));
	while (buf < end) {
		if (get_varint(&buf, end, &skipped) || get_varint(&buf, end, &count))
			return -EBADMSG;
		if (!count || skipped >= LAT_FLAT - at)
			return -EBADMSG;
		at += skipped;
		flat[at++] = count;
	}
	return 0;
}
