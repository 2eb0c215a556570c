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
	char type[80]; /* the header of what is sent */
	bool posts;    /* the headers of a POST are there */
	/* Of the request that runs: where its answer goes. */
	int fd;
	struct text *text; /* NULL: to fd */
	size_t len, most;
	int err; /* why the body was not taken */
};

static size_t fetch_body(char *at, size_t size, size_t n, void *arg)
{
	struct fetch *f = arg;
	size_t len = size * n;

	if (len > f->most - f->len)
		f->err = -E2BIG;
	if (f->text && !f->err) {
		text_put_bytes(f->text, at, len);
		f->err = f->text->failed ? -ENOMEM : 0;
	}
	for (size_t done = 0; done < len && !f->text && !f->err;) {
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

static int fetch_header(struct fetch *f, const char *header)
{
	struct curl_slist *more = curl_slist_append(f->headers, header);

	f->headers = more ? more : f->headers;
	return more ? 0 : -ENOMEM;
}

/* The file's first line, as far as it fits. 0 or negative errno. */
static int fetch_token_of_file(const char *path, char token[TOKEN_MAX + 1], char why[WHY_LEN])
{
	FILE *file = fopen(path, "re");
	size_t n;

	if (!file) {
		int err = -errno;

		snprintf(why, WHY_LEN, "cannot read the token in '%.150s': %s", path,
			 strerror(errno));
		return err;
	}
	n = fread(token, 1, TOKEN_MAX, file);
	fclose(file);
	token[n] = '\0';
	token[strcspn(token, "\r\n")] = '\0';
	return 0;
}

/* "Authorization: Bearer " and the token. 0 or negative errno. */
static int fetch_token(struct fetch *f, const struct fetch_opts *o, char why[WHY_LEN])
{
	static const char begin[] = "Authorization: Bearer ";
	char header[sizeof(begin) + TOKEN_MAX] = "", *token = header + sizeof(begin) - 1;
	size_t n;
	int err = 0;

	memcpy(header, begin, sizeof(begin));
	if (o->token)
		snprintf(token, TOKEN_MAX + 1, "%s", o->token);
	else
		err = fetch_token_of_file(o->token_file, token, why);
	n = strlen(token);
	for (size_t i = 0; i < n; i++)
		if (token[i] <= ' ' || token[i] > '~')
			n = 0;
	if (!err && (!n || n == TOKEN_MAX)) {
		snprintf(why, WHY_LEN, "%s%.150s%s is no token",
			 o->token ? "this" : "the first line of '", o->token ? "" : o->token_file,
			 o->token ? "" : "'");
		err = -EINVAL;
	}
	if (!err)
		err = fetch_header(f, header);
	explicit_bzero(header, sizeof(header));
	return err;
}

/* Which server is trusted, and who we are. */
static CURLcode fetch_trust(struct fetch *f, const struct fetch_opts *o)
{
	CURLcode code = CURLE_OK;
	char pin[96];

	if (o->ca_file)
		code = curl_easy_setopt(f->curl, CURLOPT_CAINFO, o->ca_file);
	if (o->pin) {
		snprintf(pin, sizeof(pin), "sha256//%s", o->pin);
		code = code ?: curl_easy_setopt(f->curl, CURLOPT_PINNEDPUBLICKEY, pin);
	}
	if (o->pin && !o->ca_file) {
		code = code ?: curl_easy_setopt(f->curl, CURLOPT_SSL_VERIFYPEER, 0L);
		code = code ?: curl_easy_setopt(f->curl, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (o->cert_file)
		code = code ?: curl_easy_setopt(f->curl, CURLOPT_SSLCERT, o->cert_file);
	if (o->key_file)
		code = code ?: curl_easy_setopt(f->curl, CURLOPT_SSLKEY, o->key_file);
	return code;
}

static int fetch_setup(struct fetch *f, const struct fetch_opts *o)
{
	const struct {
		CURLoption option;
		long value;
	} numbers[] = {
		{CURLOPT_NOSIGNAL, 1},
		{CURLOPT_CONNECTTIMEOUT,
		 o->limit_s && o->limit_s < FETCH_CONNECT_S ? o->limit_s : FETCH_CONNECT_S},
		{CURLOPT_LOW_SPEED_LIMIT, 1},
		{CURLOPT_LOW_SPEED_TIME, FETCH_STALLED_S},
		{CURLOPT_TIMEOUT, o->limit_s ? o->limit_s : FETCH_LIMIT_S},
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
	code = code ?: fetch_trust(f, o);
	return code ? -ENOMEM : 0;
}

struct fetch *fetch_new(const struct fetch_opts *o, char why[WHY_LEN])
{
	struct fetch *f = calloc(1, sizeof(*f));
	int err = f ? 0 : -ENOMEM;

	if (!err && !(f->curl = curl_easy_init()))
		err = -ENOMEM;
	if (f) {
		f->stop = o->stop;
		snprintf(f->type, sizeof(f->type), "Content-Type: %s",
			 o->type ? o->type : "application/octet-stream");
	}
	if (!err && (o->token_file || o->token))
		err = fetch_token(f, o, why);
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
	if (f->err == -E2BIG && f->most < 1 << 20)
		snprintf(why, WHY_LEN, "the answer is longer than %zu KiB", f->most >> 10);
	else if (f->err == -E2BIG)
		snprintf(why, WHY_LEN, "the answer is longer than %zu MiB", f->most >> 20);
	else if (f->err)
		snprintf(why, WHY_LEN, "%s", strerror(-f->err));
	else if (code == CURLE_SSL_PINNEDPUBKEYNOTMATCH)
		snprintf(why, WHY_LEN, "its key is not the one whose pin is known");
	else
		snprintf(why, WHY_LEN, "%.200s", *f->error ? f->error : curl_easy_strerror(code));
	if (f->err)
		return f->err;
	return fetch_is_late(f, code)			? -ETIMEDOUT
	       : code == CURLE_SSL_PINNEDPUBKEYNOTMATCH ? -EACCES
	       : code == CURLE_OUT_OF_MEMORY		? -ENOMEM
	       : code == CURLE_URL_MALFORMAT		? -EINVAL
							: -EIO;
}

/* What was set for the method comes before; the answer goes to f->text or f->fd. 0 or negative errno. */
static int fetch_perform(struct fetch *f, CURLcode code, const char *url, size_t most, long *status,
			 char why[WHY_LEN])
{
	*f->error = '\0';
	f->len = 0;
	f->most = most;
	f->err = 0;
	*status = 0;
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_URL, url);
	code = code ?: curl_easy_perform(f->curl);
	code = code ?: curl_easy_getinfo(f->curl, CURLINFO_RESPONSE_CODE, status);
	return code ? fetch_failed(f, code, why) : 0;
}

int fetch_get(struct fetch *f, const char *url, size_t most, long *status, char why[WHY_LEN])
{
	int err = 0;

	f->text = NULL;
	f->fd = memfd_create("answer", MFD_CLOEXEC);
	if (f->fd < 0) {
		err = -errno;
		snprintf(why, WHY_LEN, "%s", strerror(errno));
		return err;
	}
	err = fetch_perform(f, curl_easy_setopt(f->curl, CURLOPT_HTTPGET, 1L), url, most, status,
			    why);
	if (!err && lseek(f->fd, 0, SEEK_SET) < 0)
		err = -errno;
	if (!err)
		return f->fd;
	close(f->fd);
	return err;
}

int fetch_post(struct fetch *f, const char *url, const void *body, size_t len, size_t most,
	       struct text *answer, long *status, char why[WHY_LEN])
{
	CURLcode code = CURLE_OK;

	/* Not to wait for "100 Continue", which costs a way there and back. */
	if (!f->posts && (fetch_header(f, "Expect:") || fetch_header(f, f->type))) {
		snprintf(why, WHY_LEN, "out of memory");
		return -ENOMEM;
	}
	f->posts = true;
	text_reset(answer);
	f->text = answer;
	code = curl_easy_setopt(f->curl, CURLOPT_POST, 1L);
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_HTTPHEADER, f->headers);
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_POSTFIELDS, body ? body : "");
	code = code ?: curl_easy_setopt(f->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	return fetch_perform(f, code, url, most, status, why);
}
