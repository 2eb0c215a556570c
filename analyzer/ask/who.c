// SPDX-License-Identifier: BSD-2-Clause
/* Who asks, and may: people with a password or whom a proxy knows, programs with the service's token, this host. */
#include <errno.h>
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
	struct stat st;
	ssize_t n = -1;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
		snprintf(why, WHY_LEN, "'" TOKEN_FILE "' is not a file of ours with mode 0600");
	else if ((n = read(fd, token, EXCHANGE_TOKEN_LEN)) != EXCHANGE_TOKEN_LEN)
		snprintf(why, WHY_LEN, "'" TOKEN_FILE "' has no token: remove it");
	token[n == EXCHANGE_TOKEN_LEN ? n : 0] = '\0';
	return *token ? 0 : -EINVAL;
}

static int make_token(int dir, char token[EXCHANGE_TOKEN_LEN + 1], char why[WHY_LEN])
{
	int err = token_make(token), fd;

	fd = err ? -1
		 : openat(dir, "." TOKEN_FILE,
			  O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
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

static bool is_here(struct listener_request *r)
{
	struct evhttp_connection *connection = evhttp_request_get_connection(r->http);
	char *address = NULL;
	uint16_t port;

	evhttp_connection_get_peer(connection, &address, &port);
	return address && (!strncmp(address, "127.", 4) || !strcmp(address, "::1") ||
			   !strncmp(address, "::ffff:127.", 11));
}

static const char *header_of(struct listener_request *r, const char *name)
{
	return evhttp_find_header(evhttp_request_get_input_headers(r->http), name);
}

static bool is_name(const char *s)
{
	size_t n = 0;

	while (s[n] > ' ' && s[n] < 127)
		n++;
	return n && !s[n] && n < USER_NAME;
}

int front_who(void *arg, struct listener_request *r, char name[LISTENER_NAME])
{
	struct front *f = arg;
	const char *by_proxy = f->o->proxy_user ? header_of(r, f->o->proxy_user) : NULL;
	enum users_answer answer;

	if (r->bearer) {
		bool is = strlen(r->bearer) == EXCHANGE_TOKEN_LEN &&
			  !CRYPTO_memcmp(r->bearer, f->token, EXCHANGE_TOKEN_LEN);

		snprintf(name, LISTENER_NAME, "token");
		return is ? 0 : 401;
	}
	if (by_proxy && is_here(r) && is_name(by_proxy)) {
		snprintf(name, LISTENER_NAME, "%s", by_proxy);
		return 0;
	}
	if (f->users) {
		answer = users_check(f->users, header_of(r, "Authorization"), name);
		if (answer == USERS_UNKNOWN)
			evhttp_add_header(evhttp_request_get_output_headers(r->http),
					  "WWW-Authenticate", "Basic realm=\"limpet\"");
		return answer == USERS_KNOWN ? 0 : answer == USERS_LATER ? 429 : 401;
	}
	snprintf(name, LISTENER_NAME, WHO_HERE);
	return !f->o->proxy_user && is_here(r) ? 0 : 401;
}
