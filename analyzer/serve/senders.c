// SPDX-License-Identifier: BSD-2-Clause
#include "senders.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/http/token.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/map.h"
#include "userspace/common/sort.h"

static const char senders_tables[] =
	"CREATE TABLE IF NOT EXISTS senders(host TEXT PRIMARY KEY, token TEXT UNIQUE, certificate "
	"TEXT,"
	" since_ns INTEGER NOT NULL, heard_ns INTEGER NOT NULL DEFAULT 0,"
	" approved INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS enrolments(token TEXT PRIMARY KEY, until_ns INTEGER NOT NULL,"
	" uses INTEGER NOT NULL) WITHOUT ROWID;";

int senders_database(sqlite3 **db, const char *dir, char why[WHY_LEN])
{
	return database_open(db, dir, "serve.db", senders_tables, why);
}

struct senders {
	sqlite3 *db;
	sqlite3_stmt *changed; /* PRAGMA data_version */
	int64_t version;
	struct sender *at;
	size_t n;
	struct map by_host;
	size_t *of_token; /* number in `at`, of those that have a token */
	size_t n_of_token;
	struct map by_token;
};

/* ---- in memory ---- */

static void senders_drop(struct senders *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->at[i].token);
		free(s->at[i].certificate);
	}
	free(s->at);
	free(s->of_token);
	map_release(&s->by_host);
	map_release(&s->by_token);
}

static size_t senders_find(const struct senders *s, const char *host)
{
	return map_find(i, &s->by_host, map_hash(host, strlen(host)), !strcmp(s->at[i].host, host));
}

/* Hashes of equal length, compared in the same time whatever they are. */
const struct sender *senders_by_token(const struct senders *s, const char *token)
{
	char hash[TOKEN_HASH_LEN + 1];
	size_t at;

	token_hash(token, hash);
	at = map_find(i, &s->by_token, map_hash(hash, TOKEN_HASH_LEN),
		      !CRYPTO_memcmp(s->at[s->of_token[i]].token, hash, TOKEN_HASH_LEN));
	return at == MAP_NONE ? NULL : &s->at[s->of_token[at]];
}

static char *column_copy(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? strdup(text) : NULL;
}

static int senders_index_token(struct senders *s, size_t number)
{
	uint64_t hash = map_hash(s->at[number].token, TOKEN_HASH_LEN);
	size_t *new = map_append(&s->by_token, hash, array_add(&s->of_token, &s->n_of_token),
				 &s->n_of_token);

	if (!new)
		return -ENOMEM;
	*new = number;
	return 0;
}

/* Rows that no limpet wrote are passed over. */
static int senders_take_row(struct senders *s, sqlite3_stmt *row)
{
	const char *host = (const char *)sqlite3_column_text(row, 0);
	struct sender *new;

	if (!host || series_check_host(host) ||
	    (sqlite3_column_type(row, 1) != SQLITE_NULL &&
	     sqlite3_column_bytes(row, 1) != TOKEN_HASH_LEN))
		return 0;
	new = map_append(&s->by_host, map_hash(host, strlen(host)), array_add(&s->at, &s->n),
			 &s->n);
	if (!new)
		return -ENOMEM;
	snprintf(new->host, sizeof(new->host), "%s", host);
	new->token = column_copy(row, 1);
	new->certificate = column_copy(row, 2);
	new->since_ns = sqlite3_column_int64(row, 3);
	new->heard_ns = sqlite3_column_int64(row, 4);
	new->approved = sqlite3_column_int(row, 5);
	return new->token ? senders_index_token(s, s->n - 1) : 0;
}

/* What was heard and is not written yet is kept. */
static void senders_keep_heard(struct senders *to, const struct senders *from)
{
	for (size_t i = 0; i < from->n; i++) {
		size_t at = senders_find(to, from->at[i].host);

		if (at != MAP_NONE && to->at[at].heard_ns < from->at[i].heard_ns)
			to->at[at].heard_ns = from->at[i].heard_ns;
	}
}

static int senders_read(struct senders *s, char why[WHY_LEN])
{
	sqlite3_stmt *row =
		database_ask(s->db, why,
			     "SELECT host, token, certificate, since_ns, heard_ns, approved"
			     " FROM senders ORDER BY host");
	struct senders new = {.db = s->db, .changed = s->changed, .version = s->version};
	int err = 0, rc = SQLITE_DONE;

	if (!row)
		return database_fail(s->db, why);
	while (!err && (rc = sqlite3_step(row)) == SQLITE_ROW)
		err = senders_take_row(&new, row);
	if (err)
		snprintf(why, WHY_LEN, "out of memory");
	else if (rc != SQLITE_DONE)
		err = database_fail(s->db, why);
	sqlite3_finalize(row);
	if (err) {
		senders_drop(&new);
		return err;
	}
	senders_keep_heard(&new, s);
	senders_drop(s);
	*s = new;
	return 0;
}

int senders_refresh(struct senders *s, char why[WHY_LEN])
{
	int64_t version = s->version;
	int err = 0;

	if (sqlite3_step(s->changed) == SQLITE_ROW)
		version = sqlite3_column_int64(s->changed, 0);
	else
		err = database_fail(s->db, why);
	sqlite3_reset(s->changed);
	if (!err && version != s->version) {
		err = senders_read(s, why);
		s->version = err ? s->version : version;
	}
	return err;
}

int senders_new(struct senders **out, sqlite3 *db, char why[WHY_LEN])
{
	struct senders *s = calloc(1, sizeof(*s));
	int err;

	*out = NULL;
	if (!s) {
		snprintf(why, WHY_LEN, "out of memory");
		return -ENOMEM;
	}
	s->db = db;
	s->version = -1;
	s->changed = database_ask(db, why, "PRAGMA data_version");
	err = s->changed ? senders_refresh(s, why) : -EIO;
	if (err) {
		senders_free(s);
		return err;
	}
	*out = s;
	return 0;
}

void senders_free(struct senders *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->changed);
	senders_drop(s);
	free(s);
}

const struct sender *senders_all(const struct senders *s, size_t *n)
{
	*n = s->n;
	return s->at;
}

size_t senders_heard_since(const struct senders *s, int64_t since_ns)
{
	return count_if(i, s->n, s->at[i].heard_ns >= since_ns);
}

/* ---- changes: written, and then read again ---- */

/* Ends the transaction that is open, well or badly. */
static int senders_end(struct senders *s, int err, char why[WHY_LEN])
{
	if (!err)
		err = database_do(s->db, why, "COMMIT");
	if (err)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return err ? err : senders_read(s, why);
}

static int senders_begin(struct senders *s, char why[WHY_LEN])
{
	return database_do(s->db, why, "BEGIN IMMEDIATE");
}

int senders_line(struct senders *s, unsigned int uses, unsigned int seconds,
		 char token[EXCHANGE_TOKEN_LEN + 1], char why[WHY_LEN])
{
	int64_t now_ns = clock_ns(CLOCK_REALTIME);
	char hash[TOKEN_HASH_LEN + 1];
	int err = token_make(token);

	if (err) {
		snprintf(why, WHY_LEN, "there is no randomness for a token");
		return err;
	}
	token_hash(token, hash);
	err = senders_begin(s, why);
	if (err)
		return err;
	err = database_do(s->db, why,
			  "DELETE FROM enrolments WHERE until_ns < %lld;"
			  "INSERT INTO enrolments VALUES (%Q, %lld, %u)",
			  (long long)now_ns, hash, (long long)(now_ns + seconds * NS_PER_S), uses);
	return senders_end(s, err, why);
}

/* One use of it. -EACCES: it has none. */
static int enrolment_spend(struct senders *s, const char *token, int64_t now_ns, char *why)
{
	char hash[TOKEN_HASH_LEN + 1];
	int err;

	token_hash(token, hash);
	err = database_do(s->db, why,
			  "UPDATE enrolments SET uses = uses - 1"
			  " WHERE token = %Q AND uses > 0 AND until_ns > %lld",
			  hash, (long long)now_ns);
	if (!err && !sqlite3_changes(s->db)) {
		snprintf(why, WHY_LEN,
			 "this line of enrolment is unknown, used up or too old; "
			 "`limpet serve enroll` prints a new one");
		err = -EACCES;
	}
	return err;
}

/* Whoever has the name now stays unless it is approved. */
static int sender_put(struct senders *s, const char *host, const char *token, int64_t now_ns,
		      char *why)
{
	char hash[TOKEN_HASH_LEN + 1];
	int err;

	token_hash(token, hash);
	err = database_do(s->db, why,
			  "INSERT INTO senders(host, token, since_ns) VALUES (%Q, %Q, %lld)"
			  " ON CONFLICT(host) DO UPDATE SET token = excluded.token,"
			  " certificate = NULL, since_ns = excluded.since_ns, approved = 0"
			  " WHERE approved",
			  host, hash, (long long)now_ns);
	if (!err && !sqlite3_changes(s->db)) {
		snprintf(why, WHY_LEN,
			 "the name '%s' is taken; `limpet serve approve %s` lets it be enrolled "
			 "anew",
			 host, host);
		err = -EEXIST;
	}
	return err;
}

int senders_enrol(struct senders *s, const char *enrolment, const char *host,
		  char token[EXCHANGE_TOKEN_LEN + 1], char why[WHY_LEN])
{
	int64_t now_ns = clock_ns(CLOCK_REALTIME);
	const char *wrong = series_check_host(host);
	int err;

	if (wrong || token_make(token)) {
		snprintf(why, WHY_LEN, "%s", wrong ? wrong : "there is no randomness for a token");
		return wrong ? -EINVAL : -EIO;
	}
	err = senders_begin(s, why);
	if (err)
		return err;
	err = enrolment_spend(s, enrolment, now_ns, why);
	if (!err)
		err = sender_put(s, host, token, now_ns, why);
	return senders_end(s, err, why);
}

static int senders_change(struct senders *s, const char *sql, const char *host, char *why)
{
	int err = senders_begin(s, why);

	if (err)
		return err;
	err = database_do(s->db, why, sql, host);
	if (!err && !sqlite3_changes(s->db)) {
		snprintf(why, WHY_LEN, "no sender has the name '%.64s'", host);
		err = -ENOENT;
	}
	return senders_end(s, err, why);
}

int senders_approve(struct senders *s, const char *host, char why[WHY_LEN])
{
	return senders_change(s, "UPDATE senders SET approved = 1 WHERE host = %Q", host, why);
}

int senders_forget(struct senders *s, const char *host, char why[WHY_LEN])
{
	return senders_change(s, "DELETE FROM senders WHERE host = %Q", host, why);
}

/* ---- certificates ---- */

static bool names_allow(const char *name, const char *host)
{
	size_t label = strcspn(name, ".");

	return !strcmp(name, host) || (strlen(host) == label && !strncmp(name, host, label));
}

/* What a sender with one of these names called itself last; or the first label of the first one, where nobody has it. */
static const char *certified_before(const struct senders *s, const char *const *names, size_t n,
				    char label[HOST_LEN])
{
	const struct sender *last = NULL;
	size_t len = strcspn(names[0], ".");

	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < n && s->at[i].certificate; k++)
			if (!strcmp(s->at[i].certificate, names[k]) &&
			    (!last || s->at[i].heard_ns > last->heard_ns))
				last = &s->at[i];
	if (last)
		return last->host;
	snprintf(label, HOST_LEN, "%.*s", (int)(len < HOST_LEN ? len : 0), names[0]);
	return senders_find(s, label) == MAP_NONE ? label : names[0];
}

static int certified_add(struct senders *s, const char *host, const char *name, char *why)
{
	int err = senders_begin(s, why);

	if (err)
		return err;
	err = database_do(s->db, why,
			  "INSERT OR IGNORE INTO senders(host, certificate, since_ns)"
			  " VALUES (%Q, %Q, %lld)",
			  host, name, (long long)clock_ns(CLOCK_REALTIME));
	return senders_end(s, err, why);
}

int senders_certified(struct senders *s, const char *const *names, size_t n, const char *host,
		      char is[HOST_LEN], char why[WHY_LEN])
{
	const char *name = NULL;
	char label[HOST_LEN];
	bool said = host;
	size_t at;
	int err = 0;

	if (!host && n)
		host = certified_before(s, names, n, label);
	for (size_t i = 0; i < n && !name; i++)
		name = names_allow(names[i], host) ? names[i] : NULL;
	if (!name || series_check_host(host)) {
		snprintf(why, WHY_LEN, "the certificate is not of the host '%.64s'",
			 host ? host : "");
		return -EACCES;
	}
	snprintf(is, HOST_LEN, "%s", host);
	at = senders_find(s, is);
	if (at == MAP_NONE && !said)
		return 0;
	if (at == MAP_NONE)
		err = certified_add(s, is, name, why);
	if (err)
		return err;
	at = senders_find(s, is);
	if (at != MAP_NONE && s->at[at].certificate && !strcmp(s->at[at].certificate, name))
		return 0;
	snprintf(why, WHY_LEN,
		 "the name '%s' is another sender's; `limpet serve forget %s` frees it", is, is);
	return -EACCES;
}

/* ---- who was heard ---- */

void senders_heard(struct senders *s, const char *host, int64_t now_ns)
{
	size_t at = senders_find(s, host);

	if (at != MAP_NONE)
		s->at[at].heard_ns = now_ns;
}

struct heard_list {
	size_t n;
	struct {
		char host[HOST_LEN];
		int64_t heard_ns;
	} at[];
};

struct heard_list *senders_heard_list(const struct senders *s)
{
	struct heard_list *l = malloc(sizeof(*l) + s->n * sizeof(l->at[0]));

	if (!l)
		return NULL;
	l->n = s->n;
	for (size_t i = 0; i < s->n; i++) {
		memcpy(l->at[i].host, s->at[i].host, HOST_LEN);
		l->at[i].heard_ns = s->at[i].heard_ns;
	}
	return l;
}

int heard_list_write(struct heard_list *l, sqlite3 *db, char why[WHY_LEN])
{
	sqlite3_stmt *set = database_ask(
		db, why, "UPDATE senders SET heard_ns = ?1 WHERE host = ?2 AND heard_ns < ?1");
	int err = set ? database_do(db, why, "BEGIN IMMEDIATE") : -EIO;

	for (size_t i = 0; i < l->n && !err; i++) {
		sqlite3_bind_int64(set, 1, l->at[i].heard_ns);
		sqlite3_bind_text(set, 2, l->at[i].host, -1, SQLITE_STATIC);
		if (sqlite3_step(set) != SQLITE_DONE)
			err = database_fail(db, why);
		sqlite3_reset(set);
	}
	sqlite3_finalize(set);
	free(l);
	if (!err)
		err = database_do(db, why, "COMMIT");
	if (err)
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}
