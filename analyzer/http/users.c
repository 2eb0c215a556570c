// SPDX-License-Identifier: BSD-2-Clause
#include "users.h"

#include <crypt.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/map.h"
#include "userspace/common/sort.h"

#define SECRET	  32
#define BASIC_MAX 1024 /* of the header */

struct user {
	char name[USER_NAME];
	char *hash;
	bool seen; /* the password was right, and is this */
	unsigned char password[SECRET];
};

struct users {
	struct user *at;
	size_t n;
	unsigned char key[SECRET];
	int64_t again_ns;		     /* CLOCK_MONOTONIC: not before is a hash made */
	int64_t address_ns[USERS_ADDRESSES]; /* likewise, by the address's hash */
	struct crypt_data work;
};

static bool is_password(struct users *u, const struct user *one, const char *password)
{
	int64_t began_ns = clock_ns(CLOCK_MONOTONIC), took_ns;
	const char *hash = crypt_r(password, one->hash, &u->work);

	took_ns = clock_ns(CLOCK_MONOTONIC) - began_ns;
	u->again_ns = began_ns + 4 * took_ns;
	return hash && *hash != '*' && strlen(hash) == strlen(one->hash) &&
	       !CRYPTO_memcmp(hash, one->hash, strlen(hash));
}

/* ---- the file ------------------------------------------------------------------------------------------ */

static struct user *user_named(const struct users *u, const char *name)
{
	return find_if(i, u->at, u->n, !strcmp(u->at[i].name, name));
}

/* NULL, or what is wrong with it. */
static const char *add_user(struct users *u, char *line)
{
	char *hash = strchr(line, ':');
	struct user one = {0};

	if (!hash || hash == line || hash - line >= USER_NAME)
		return "it is not NAME:HASH";
	*hash++ = '\0';
	if (!strcmp(line, USERS_NOBODY))
		return "'" USERS_NOBODY "' is what programs are called";
	for (const char *c = line; *c; c++)
		if (*c <= ' ' || *c >= 127)
			return "its name is not printable ASCII without blanks";
	if (user_named(u, line))
		return "there is a line for this name already";
	if (u->n == USERS_MAX)
		return "there are too many";
	if (crypt_checksalt(hash) != CRYPT_SALT_OK)
		return "its hash is none of crypt(5), or too weak: 'htpasswd -B' makes one";
	snprintf(one.name, sizeof(one.name), "%s", line);
	one.hash = strdup(hash);
	if (!one.hash || array_put(&u->at, &u->n, one)) {
		free(one.hash);
		return "out of memory";
	}
	return NULL;
}

static int read_users(struct users *u, FILE *from, const char *path, char why[WHY_LEN])
{
	char *line = NULL;
	const char *wrong = NULL;
	size_t size = 0, number = 0;
	ssize_t len;

	while (!wrong && (len = getline(&line, &size, from)) >= 0) {
		number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (*line && *line != '#')
			wrong = add_user(u, line);
	}
	free(line);
	if (wrong)
		snprintf(why, WHY_LEN, "'%.100s', line %zu: %s", path, number, wrong);
	else if (ferror(from))
		snprintf(why, WHY_LEN, "cannot read '%.100s'", path);
	else if (!u->n)
		snprintf(why, WHY_LEN, "'%.100s' has no user", path);
	return wrong || ferror(from) || !u->n ? -EINVAL : 0;
}

/* What waits for a writer, or may be written by anybody, is none. */
static FILE *open_users(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || (st.st_mode & S_IWOTH))) {
		close(fd);
		errno = EPERM;
		return NULL;
	}
	return fd < 0 ? NULL : fdopen(fd, "r");
}

/* The slowest hash of the file holds up everybody. */
static int time_hashes(struct users *u, const char *path, char why[WHY_LEN])
{
	for (size_t i = 0; i < u->n; i++) {
		size_t len = strcspn(u->at[i].hash + 1, "$") + 2;
		bool seen = any_of(k, i, !strncmp(u->at[k].hash, u->at[i].hash, len + 3));

		if (seen)
			continue;
		is_password(u, &u->at[i], "");
		if (u->again_ns - clock_ns(CLOCK_MONOTONIC) > ns_of_s(3 * USERS_SLOWEST_S)) {
			snprintf(why, WHY_LEN,
				 "'%.100s': the hash of '%s' takes more than %g s: too much", path,
				 u->at[i].name, USERS_SLOWEST_S);
			return -EINVAL;
		}
	}
	u->again_ns = 0;
	return 0;
}

int users_load(struct users **out, const char *path, char why[WHY_LEN])
{
	struct users *u = calloc(1, sizeof(*u));
	FILE *from = open_users(path);
	int err = from ? 0 : -errno;

	*out = NULL;
	if (err)
		snprintf(why, WHY_LEN, "cannot read '%.100s': %s", path, strerror(-err));
	else if (!u || RAND_bytes(u->key, SECRET) != 1)
		snprintf(why, WHY_LEN, "out of memory");
	else
		err = read_users(u, from, path, why);
	if (!err && u)
		err = time_hashes(u, path, why);
	if (from)
		fclose(from);
	if (!err && u)
		*out = u;
	else
		users_free(u);
	return err ? err : u ? 0 : -ENOMEM;
}

void users_free(struct users *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->n; i++)
		free(u->at[i].hash);
	free(u->at);
	OPENSSL_cleanse(u, sizeof(*u));
	free(u);
}

/* ---- who asks ------------------------------------------------------------------------------------------ */

/* "Basic BASE64" into a name and a password, at `to` one behind the other. */
static bool decode(const char *authorization, char to[BASIC_MAX], char **password)
{
	const char *text = authorization + 6;
	size_t len;
	int n;

	if (strncasecmp(authorization, "Basic ", 6) != 0)
		return false;
	text += strspn(text, " ");
	len = strlen(text);
	if (len >= BASIC_MAX || len % 4)
		return false;
	n = EVP_DecodeBlock((unsigned char *)to, (const unsigned char *)text, (int)len);
	if (n < 0)
		return false;
	for (; len && text[len - 1] == '='; len--)
		n--;
	to[n > 0 ? n : 0] = '\0';
	*password = strchr(to, ':');
	if (n <= 0 || strlen(to) != (size_t)n || !*password)
		return false;
	*(*password)++ = '\0';
	return true;
}

/* Whether there is time for a hash. */
static bool may_look(struct users *u, const char *address)
{
	int64_t now_ns = clock_ns(CLOCK_MONOTONIC),
		*of = &u->address_ns[map_hash(address, strlen(address)) % USERS_ADDRESSES];

	if (now_ns < u->again_ns || now_ns < *of)
		return false;
	*of = now_ns + NS_PER_S;
	return true;
}

static enum users_answer check(struct users *u, const char *address, const char *name,
			       const char *password)
{
	struct user *one = user_named(u, name);
	unsigned char mac[SECRET];
	bool is;

	/* What names there are is not to be heard from how long an answer takes. */
	if (!HMAC(EVP_sha256(), u->key, SECRET, (const unsigned char *)password, strlen(password),
		  mac, NULL))
		return USERS_LATER;
	if (one && one->seen && !CRYPTO_memcmp(mac, one->password, SECRET))
		return USERS_KNOWN;
	if (!may_look(u, address))
		return USERS_LATER;
	is = is_password(u, one ? one : &u->at[0], password) && one;
	if (is) {
		memcpy(one->password, mac, SECRET);
		one->seen = true;
	}
	return is ? USERS_KNOWN : USERS_UNKNOWN;
}

enum users_answer users_check(struct users *u, const char *authorization, const char *address,
			      char name[USER_NAME])
{
	char plain[BASIC_MAX], *password;
	enum users_answer answer = USERS_UNKNOWN;

	if (!authorization || !decode(authorization, plain, &password))
		return USERS_UNKNOWN;
	if (strlen(plain) < USER_NAME)
		answer = check(u, address, plain, password);
	if (answer == USERS_KNOWN)
		snprintf(name, USER_NAME, "%s", plain);
	OPENSSL_cleanse(plain, sizeof(plain));
	return answer;
}
