// SPDX-License-Identifier: BSD-2-Clause
/* To whom is sent: see receiver.h. */
#include "receiver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/common/safe_open.h"
#include "userspace/common/sort.h"
#include "userspace/common/text.h"

#define RECEIVER_SUFFIX ".conf"
#define RECEIVER_MOST	16384 /* bytes of a file */

static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* ---- what may stand there ---- */

static bool is_secret(const char *s, size_t len)
{
	return strlen(s) == len && strspn(s, base64url) == len;
}

/* https://ADDRESS[:PORT], and nothing behind it but a slash, which is taken away. */
static bool take_url(char *url)
{
	size_t n = strlen(url);

	if (n && url[n - 1] == '/')
		url[--n] = '\0';
	if (strncmp(url, "https://", 8) || n < 9)
		return false;
	return strspn(url + 8, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
			       "-._:[]%") == n - 8;
}

static const char *receiver_wrong(struct receiver *r)
{
	if (!*r->url)
		return "there is no line 'url=https://ADDRESS:PORT'";
	if (!take_url(r->url))
		return "its url is not https://ADDRESS:PORT";
	if (*r->pin && !is_secret(r->pin, EXCHANGE_PIN_LEN))
		return "its pin is none (43 letters of base64url)";
	if (*r->token && !is_secret(r->token, EXCHANGE_TOKEN_LEN))
		return "its token is none (43 letters of base64url)";
	if (!*r->cert != !*r->key)
		return "one of 'cert=FILE' and 'key=FILE' is missing";
	if (!*r->token && !*r->cert)
		return "it says neither 'token=…' nor 'cert=FILE' and 'key=FILE'";
	return NULL;
}

/* ---- the file ---- */

static const char *receiver_line(struct receiver *r, char *line)
{
	const struct {
		const char *name;
		char *to;
		size_t size;
	} names[] = {
		{"url", r->url, sizeof(r->url)},       {"pin", r->pin, sizeof(r->pin)},
		{"token", r->token, sizeof(r->token)}, {"ca", r->ca, sizeof(r->ca)},
		{"cert", r->cert, sizeof(r->cert)},    {"key", r->key, sizeof(r->key)},
	};
	char *value = strchr(line, '=');

	if (!*line || *line == '#')
		return NULL;
	if (!value)
		return "a line is neither a comment nor NAME=VALUE";
	*value++ = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(line, names[i].name))
			continue;
		if (strlen(value) >= names[i].size)
			return "a value is too long";
		strcpy(names[i].to, value);
		return NULL;
	}
	return "a line begins with none of url, pin, token, ca, cert and key";
}

static const char *receiver_text(struct receiver *r, char *text)
{
	const char *wrong = NULL;

	for (char *rest = text, *line; !wrong && (line = strsep(&rest, "\n"));) {
		size_t n = strlen(line);

		while (n && (line[n - 1] == ' ' || line[n - 1] == '\t' || line[n - 1] == '\r'))
			line[--n] = '\0';
		wrong = receiver_line(r, line + strspn(line, " \t"));
	}
	return wrong ? wrong : receiver_wrong(r);
}

/* Nobody but its owner, who is root or we, may read or write it. */
static const char *check_secret(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "it is not a regular file";
	if (st.st_uid && st.st_uid != geteuid())
		return "it belongs to another user";
	if (st.st_mode & 077)
		return "it has a secret, and others may read it (chmod 600)";
	return NULL;
}

static int read_receiver(struct receiver *r, int dir, const char *folder, const char *name)
{
	char text[RECEIVER_MOST + 1];
	const char *wrong;
	ssize_t n = 0;
	int fd;

	memset(r, 0, sizeof(*r));
	if (snprintf(r->file, sizeof(r->file), "%s/%s", folder, name) >= (int)sizeof(r->file))
		return fail("the name of '%s/%s' is too long", folder, name);
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0)
		return fail("cannot read '%s': %s", r->file, strerror(errno));
	wrong = check_secret(fd);
	if (!wrong) {
		n = read(fd, text, sizeof(text));
		wrong = n < 0			    ? strerror(errno)
			: (size_t)n == sizeof(text) ? "it is too long"
						    : NULL;
	}
	close(fd);
	if (!wrong && n >= 0) {
		text[n] = '\0';
		wrong = strlen(text) == (size_t)n ? receiver_text(r, text) : "it is no text";
	}
	explicit_bzero(text, sizeof(text));
	return wrong ? fail("cannot use '%s': %s", r->file, wrong) : 0;
}

static int is_receiver(const struct dirent *e)
{
	const char *end = strrchr(e->d_name, '.');

	return *e->d_name != '.' && end && !strcmp(end, RECEIVER_SUFFIX);
}

int receivers_read(struct receivers *r, const char *dir)
{
	struct dirent **names = NULL;
	int fd, n, err = 0;

	r->n = 0;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	n = fd < 0 ? -1 : scandirat(fd, ".", &names, is_receiver, alphasort);
	if (n < 0)
		err = fail("cannot read '%s': %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (!err && r->n == RECEIVERS_MAX)
			err = fail("'%s' has more than %d receivers", dir, RECEIVERS_MAX);
		if (!err)
			err = read_receiver(&r->at[r->n++], fd, dir, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	if (fd >= 0)
		close(fd);
	return err;
}

/* ---- enrolment ---- */

int receiver_of_line(struct receiver *r, const char *line, char why[WHY_LEN])
{
	const char *pin = strchr(line, '#'), *token = pin ? strchr(pin, '.') : NULL;
	size_t n = pin ? (size_t)(pin - line) : 0;

	memset(r, 0, sizeof(*r));
	if (!token || n >= sizeof(r->url) || token - pin - 1 != EXCHANGE_PIN_LEN ||
	    strlen(token + 1) != EXCHANGE_TOKEN_LEN) {
		snprintf(why, WHY_LEN,
			 "this is no line of `limpet serve enroll`, which looks like "
			 "https://ADDRESS:PORT#PIN.TOKEN (quote it for the shell)");
		return -EINVAL;
	}
	memcpy(r->url, line, n);
	memcpy(r->pin, pin + 1, EXCHANGE_PIN_LEN);
	memcpy(r->token, token + 1, EXCHANGE_TOKEN_LEN);
	if (receiver_wrong(r)) {
		snprintf(why, WHY_LEN, "%s", receiver_wrong(r));
		return -EINVAL;
	}
	return 0;
}

/* Under another name first: nobody reads half of it, and nobody else ever. */
static int write_file(int dir, const char *name, const struct text *t)
{
	char temporary[NAME_MAX + 1];
	struct stat st;
	int fd, err = 0;

	snprintf(temporary, sizeof(temporary), ".%.200s.%ld", name, (long)getpid());
	fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (fstat(dir, &st) || (!geteuid() && fchown(fd, st.st_uid, st.st_gid)) ||
	    write(fd, text_of(t), t->len) != (ssize_t)t->len || fsync(fd) ||
	    renameat(dir, temporary, dir, name))
		err = errno ? -errno : -EIO;
	close(fd);
	if (err)
		unlinkat(dir, temporary, 0);
	return err;
}

int receivers_folder(const char *dir)
{
	if (mkdir(dir, 0700) && errno != EEXIST)
		return fail("cannot make the folder '%s': %s", dir, strerror(errno));
	return access(dir, W_OK | X_OK) ? fail("cannot write into '%s': %s", dir, strerror(errno))
					: 0;
}

int receiver_write(struct receiver *r, const char *dir)
{
	struct text t TEXT_SCOPED = {0};
	char name[NAME_MAX + 1];
	size_t n = 0;
	int fd, err;

	for (const char *c = r->url + 8; *c && n < 200; c++)
		name[n++] = strchr(":[]%", *c) ? '-' : *c;
	strcpy(name + n, RECEIVER_SUFFIX);
	if (snprintf(r->file, sizeof(r->file), "%s/%s", dir, name) >= (int)sizeof(r->file))
		return fail("the name of '%s' is too long", dir);
	text_add(&t,
		 "# Made by limpet-push enroll; limpet-push(8) tells what may stand here.\n"
		 "url=%s\npin=%s\ntoken=%s\n",
		 r->url, r->pin, r->token);
	if (receivers_folder(dir))
		return -1;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = fd < 0 ? -errno : t.failed ? -ENOMEM : write_file(fd, name, &t);
	if (fd >= 0)
		close(fd);
	explicit_bzero(t.at, t.at ? t.len : 0);
	return err ? fail("cannot write '%s': %s", r->file, strerror(-err)) : 0;
}

struct fetch *receiver_fetch(const struct receiver *r, const volatile sig_atomic_t *stop,
			     char why[WHY_LEN])
{
	char pin[EXCHANGE_PIN_LEN + 2];
	struct fetch_opts o = {.token = *r->token ? r->token : NULL,
			       .ca_file = *r->ca ? r->ca : NULL,
			       .pin = *r->pin ? pin : NULL,
			       .cert_file = *r->cert ? r->cert : NULL,
			       .key_file = *r->key ? r->key : NULL,
			       .limit_s = EXCHANGE_TIMEOUT_S,
			       .stop = stop};

	/* libcurl takes base64 as it is in RFC 7468, not that of URLs. */
	snprintf(pin, sizeof(pin), "%s=", r->pin);
	for (char *c = pin; *c; c++)
		*c = *c == '-' ? '+' : *c == '_' ? '/' : *c;
	return fetch_new(&o, why);
}
