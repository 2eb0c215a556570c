// SPDX-License-Identifier: BSD-2-Clause
/* HTTP from the asking side (fetch.h). */
#include "fetch.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "userspace/common/version.h"

enum { TOKEN_MAX = 16384 };

struct fetch {
	CURL *curl;
	struct curl_slist *headers;
	char error[CURL_ERROR_SIZE];
	const volatile sig_atomic_t *stop;
	/* Of the request that runs. */
	int fd;
	size_t len, most;
	int err; /* why the body was not taken */
};

static size_t fetch_body(char *at, size_t size, size_t n, void *arg)
{
	struct fetch *f = arg;
	size_t len = size * n;

	if (len > f->most - f->len)
		f->err = -E2BIG;
	for (size_t done = 0; done < len && !f->err;) {
		ssize_t wrote = write(f->fd, at + done, len - done);

		if (wrote < 0 && errno != EINTR)
			f->err = -errno;
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	f->len += len;
	return f->err ? 0 : len;
}

/* Asked once a second and more. */
static int fetch_goes_on(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct fetch *f = arg;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return f->stop && *f->stop;
}

/* "Authorization: Bearer " and the file's first line. 0 or negative errno. */
static int fetch_token(struct fetch *f, const char *path, char why[WHY_LEN])
{
	static const char begin[] = "Authorization: Bearer ";
	char header[sizeof(begin) + TOKEN_MAX];
	size_t len = sizeof(begin) - 1, n;
	struct curl_slist *more;
	FILE *file = fopen(path, "re");

	if (!file) {
		int err = -errno;

		snprintf(why, WHY_LEN, "cannot read the token in '%.150s': %s", path,
			 strerror(errno));
		return err;
	}
	memcpy(header, begin, len);
	n = fread(header + len, 1, TOKEN_MAX, file);
	fclose(file);
	header[len + n] = '\0';
	n = strcspn(header + len, "\r\n");
	header[len + n] = '\0';
	for (size_t i = len; i < len + n; i++)
		if (header[i] <= ' ' || header[i] > '~')
			n = 0;
	if (!n || n == TOKEN_MAX) {
		snprintf(why, WHY_LEN, "the first line of '%.150s' is no token", path);
		return -EINVAL;
	}
	more = curl_slist_append(f->headers, header);
	explicit_bzero(header, sizeof(header));
	f->headers = more ? more : f->headers;
	return more ? 0 : -ENOMEM;
}

static int fetch_setup(struct fetch *f, const struct fetch_opts *o)
{
	const struct {
		CURLoption option;
		long value;
	} numbers[] = {
		{CURLOPT_NOSIGNAL, 1},
		{CURLOPT_CONNECTTIMEOUT, FETCH_CONNECT_S},
		{CURLOPT_LOW_SPEED_LIMIT, 1},
		{CURLOPT_LOW_SPEED_TIME, FETCH_STALLED_S},
		{CURLOPT_TIMEOUT, FETCH_LIMIT_S},
		{CURLOPT_FOLLOWLOCATION, 0},
		{CURLOPT_NOPROGRESS, 0},
		{CURLOPT_NETRC, CURL_NETRC_OPTIONAL},
	};
	CURLcode code = CURLE_OK;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers) && !code; i++)
		code = curl_easy_setopt(f->curl, numbers[i].option, numbers[i].value);
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_ERRORBUFFER, f->error);
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_USERAGENT, "limpet/" LIMPET_VERSION);
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_ACCEPT_ENCODING, ""); /* all it knows */
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_WRITEFUNCTION, fetch_body);
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_WRITEDATA, f);
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_XFERINFOFUNCTION, fetch_goes_on);
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_XFERINFODATA, f);
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_HTTPHEADER, f->headers);
	if (o->ca_file)
		code = code ?: curl_easy_setopt(f->curl, CURLOPT_CAINFO, o->ca_file);
	return code ? -ENOMEM : 0;
}

struct fetch *fetch_new(const struct fetch_opts *o, char why[WHY_LEN])
{
	struct fetch *f = calloc(1, sizeof(*f));
	int err = f ? 0 : -ENOMEM;

	if (!err && !(f->curl = curl_easy_init()))
		err = -ENOMEM;
	if (f)
		f->stop = o->stop;
	if (!err && o->token_file)
		err = fetch_token(f, o->token_file, why);
	if (!err)
		err = fetch_setup(f, o);
	if (!err)
		return f;
	if (err == -ENOMEM)
		snprintf(why, WHY_LEN, "out of memory");
	fetch_free(f);
	return NULL;
}

void fetch_free(struct fetch *f)
{
	if (!f)
		return;
	curl_slist_free_all(f->headers);
	curl_easy_cleanup(f->curl);
	free(f);
}

/* Whether it took too long to answer; who cannot be connected to is another matter. */
static bool fetch_is_late(const struct fetch *f, CURLcode code)
{
	curl_off_t asked_us = 0;

	curl_easy_getinfo(f->curl, CURLINFO_PRETRANSFER_TIME_T, &asked_us);
	return code == CURLE_OPERATION_TIMEDOUT && asked_us > 0;
}

static int fetch_failed(const struct fetch *f, CURLcode code, char why[WHY_LEN])
{
	if (f->err == -E2BIG)
		snprintf(why, WHY_LEN, "the answer is longer than %zu MiB", f->most >> 20);
	else if (f->err)
		snprintf(why, WHY_LEN, "%s", strerror(-f->err));
	else
		snprintf(why, WHY_LEN, "%.200s", *f->error ? f->error : curl_easy_strerror(code));
	if (f->err)
		return f->err;
	return fetch_is_late(f, code)	     ? -ETIMEDOUT
	       : code == CURLE_OUT_OF_MEMORY ? -ENOMEM
	       : code == CURLE_URL_MALFORMAT ? -EINVAL
					     : -EIO;
}

int fetch_get(struct fetch *f, const char *url, size_t most, long *status, char why[WHY_LEN])
{
	CURLcode code;
	int err = 0;

	*f->error = '\0';
	f->len = 0;
	f->most = most;
	f->err = 0;
	*status = 0;
	f->fd = memfd_create("answer", MFD_CLOEXEC);
	if (f->fd < 0) {
		err = -errno;
		snprintf(why, WHY_LEN, "%s", strerror(errno));
		return err;
	}
	code = curl_easy_setopt(f->curl, CURLOPT_URL, url);
	code = code ?: curl_easy_perform(f->curl);
	code = code ?: curl_easy_getinfo(f->curl, CURLINFO_RESPONSE_CODE, status);
	if (code)
		err = fetch_failed(f, code, why);
	else if (lseek(f->fd, 0, SEEK_SET) < 0)
		err = -errno;
	if (!err)
		return f->fd;
	close(f->fd);
	return err;
}
