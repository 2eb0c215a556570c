// SPDX-License-Identifier: BSD-2-Clause
/* Who asks, and may: people with a password or whom a proxy knows, programs with the service's token, this host. */
#include <errno.h>
#include <event2/keyvalq_struct.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

#define TOKEN_FILE "token"

/* ---- the token ----------------------------------------------------------------------------------------- */

/* What is there is kept: programs have it. */
static int read_token(int fd, char token[EXCHANGE_TOKEN_LEN + 1], char why[WHY_LEN])
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	struct stat st;
	ssize_t n = -1;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
		snprintf(why, WHY_LEN, "'" TOKEN_FILE "' is not a file of ours with mode 0600");
	else if ((n = read(fd, token, EXCHANGE_TOKEN_LEN)) != EXCHANGE_TOKEN_LEN)
		snprintf(why, WHY_LEN, "'" TOKEN_FILE "' has no token: remove it");
	token[n == EXCHANGE_TOKEN_LEN ? n : 0] = '\0';
	if (*token && strspn(token, alphabet) == EXCHANGE_TOKEN_LEN)
		return 0;
	if (n == EXCHANGE_TOKEN_LEN)
		snprintf(why, WHY_LEN, "'" TOKEN_FILE "' has no token: remove it");
	*token = '\0';
	return -EINVAL;
}

static int make_token(int dir, char token[EXCHANGE_TOKEN_LEN + 1], char why[WHY_LEN])
{
	int err = token_make(token), fd;

	unlinkat(dir, "." TOKEN_FILE, 0);
	fd = err ? -1
		 : openat(dir, "." TOKEN_FILE, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  0600);
	if (!err && (fd < 0 || dprintf(fd, "%s\n", token) < 0 || fsync(fd) ||
		     renameat(dir, "." TOKEN_FILE, dir, TOKEN_FILE)))
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (err)
		snprintf(why, WHY_LEN, "cannot write '" TOKEN_FILE "': %s", strerror(-err));
	return err;
}

static int load_token(const char *path, char token[EXCHANGE_TOKEN_LEN + 1], char why[WHY_LEN])
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd, err;

	if (dir < 0) {
		snprintf(why, WHY_LEN, "cannot use '%.100s': %s", path, strerror(errno));
		return -EINVAL;
	}
	fd = openat(dir, TOKEN_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	err = fd >= 0		? read_token(fd, token, why)
	      : errno == ENOENT ? make_token(dir, token, why)
				: -errno;
	if (fd >= 0)
		close(fd);
	else if (err && err != -EINVAL)
		snprintf(why, WHY_LEN, "cannot read '" TOKEN_FILE "': %s", strerror(-err));
	close(dir);
	return err;
}

int who_load(struct front *f, char why[WHY_LEN])
{
	struct users *users = NULL;
	int err = f->o->users ? users_load(&users, f->o->users, why) : 0;

	if (!err && !*f->token)
		err = load_token(f->o->dir, f->token, why);
	if (err) {
		users_free(users);
		return err;
	}
	users_free(f->users);
	f->users = users;
	return 0;
}

/* ---- who asks ------------------------------------------------------------------------------------------ */

static const char *address_of(struct listener_request *r)
{
	struct evhttp_connection *connection = evhttp_request_get_connection(r->http);
	char *address = NULL;
	uint16_t port;

	evhttp_connection_get_peer(connection, &address, &port);
	return address ? address : "";
}

static bool is_here(struct listener_request *r)
{
	const char *address = address_of(r);

	return (!strncmp(address, "127.", 4) || !strcmp(address, "::1") ||
		!strncmp(address, "::ffff:127.", 11));
}

static const char *header_of(struct listener_request *r, const char *name)
{
	return evhttp_find_header(evhttp_request_get_input_headers(r->http), name);
}

/* What a page of another site makes its reader's browser ask for, but for going to a page of ours. */
static bool is_of_another_site(struct listener_request *r)
{
	const char *site = header_of(r, "Sec-Fetch-Site"), *mode = header_of(r, "Sec-Fetch-Mode");
	bool other = site && (!strcmp(site, "cross-site") || !strcmp(site, "same-site"));

	return other && (!mode || strcmp(mode, "navigate") != 0 || !strncmp(r->path, "/api/", 5));
}

/* Said twice, one of them may be of who asks and not of the proxy. */
static const char *said_by_proxy(struct front *f, struct listener_request *r)
{
	const struct evkeyval *it;
	int n = 0;

	if (!f->o->proxy_user || !is_here(r))
		return NULL;
	TAILQ_FOREACH(it, evhttp_request_get_input_headers(r->http), next)
	n += !strcasecmp(it->key, f->o->proxy_user);
	return n == 1 ? header_of(r, f->o->proxy_user) : NULL;
}

static bool is_name(const char *s)
{
	size_t n = 0;

	while (s[n] > ' ' && s[n] < 127)
		n++;
	return n && !s[n] && n < USER_NAME && strcmp(s, USERS_NOBODY) != 0;
}

static bool is_token(const struct front *f, const char *bearer)
{
	return strlen(bearer) == EXCHANGE_TOKEN_LEN &&
	       !CRYPTO_memcmp(bearer, f->token, EXCHANGE_TOKEN_LEN);
}

int front_who(void *arg, struct listener_request *r, char name[LISTENER_NAME])
{
	struct front *f = arg;
	const char *by_proxy = said_by_proxy(f, r);
	enum users_answer answer;

	if (is_of_another_site(r))
		return 403;
	if (r->bearer && is_token(f, r->bearer)) {
		snprintf(name, LISTENER_NAME, USERS_NOBODY);
		return 0;
	}
	/* A proxy may pass on a token of its own. */
	if (by_proxy && is_name(by_proxy)) {
		snprintf(name, LISTENER_NAME, "%s", by_proxy);
		return 0;
	}
	if (r->bearer)
		return 401;
	if (f->users) {
		answer = users_check(f->users, header_of(r, "Authorization"), address_of(r), name);
		if (answer == USERS_UNKNOWN)
			evhttp_add_header(evhttp_request_get_output_headers(r->http),
					  "WWW-Authenticate", "Basic realm=\"limpet\"");
		return answer == USERS_KNOWN ? 0 : answer == USERS_LATER ? 429 : 401;
	}
	snprintf(name, LISTENER_NAME, WHO_HERE);
	return !f->o->proxy_user && is_here(r) ? 0 : 401;
}
