// SPDX-License-Identifier: BSD-2-Clause
/*
 * senders --record DIR COUNT SECONDS: so many recordings that grow, of servers p0, p1 …, in DIR/p0, DIR/p1 …, for limpet-push.
 *
 * senders LINE COUNT SECONDS: so many servers that do not exist, enrolled with a line of `limpet serve enroll`, each with a connection of
 * its own over TLS. Each second each sends a second (one disk, 10 remote hosts, 8 processes, with noise: tools/bench.d/series_noise.h), and each
 * minute, at a second of its own, the minute that a probe packed, as limpet-push does. The minutes are those of one real series file,
 * which is written here meanwhile, under each server's name.
 *
 * Prints a line each ten seconds, and last how many requests were answered otherwise than with 200, how long answers took (ms: median,
 * 99 %, longest), and how far behind the seconds were that were sent last. Exit status 1: any sender could not be enrolled.
 */
#include <curl/curl.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "series_noise.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"
#include "userspace/wire/exchange.h"
#include "userspace/wire/wire.h"

#define NAME_FORMAT "h%04d" /* as long as that of the file, whose bytes it takes the place of */
#define FILE_HOST   "model"
#define TIMES_MAX   4000000

struct sender {
	CURL *curl;
	struct curl_slist *headers;
	char name[16], token[EXCHANGE_TOKEN_LEN + 1];
	struct noise noise;
	struct wire_encoder *encoder;
	struct second second;
	struct text body, answer;
	struct series_cursor kept;
	int64_t began_ns, asked_s, live_s;
	bool busy, copies; /* a request is under way; it is of a copy */
};

static struct {
	CURLM *multi;
	char url[300], pin[80], enrolment[EXCHANGE_TOKEN_LEN + 1], folder[64], file[128];
	struct series_writer *writer;
	struct noise noise;
	struct second second;
	struct series_copy *copy;
	struct sender *at;
	int n;
	float *ms;
	size_t n_ms;
	uint64_t requests, failed, bytes;
} all;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "senders: %s: %s\n", what, why);
	exit(1);
}

/* ---- requests ------------------------------------------------------------------------------------------ */

static size_t take_answer(char *at, size_t size, size_t n, void *arg)
{
	struct sender *s = arg;

	text_put_bytes(&s->answer, at, size * n);
	return size * n;
}

static void prepare(struct sender *s, const char *path, const char *bearer, bool fresh)
{
	char url[700], header[200];

	snprintf(url, sizeof(url), "%s%s", all.url, path);
	snprintf(header, sizeof(header), "Authorization: Bearer %s", bearer);
	if (fresh) {
		curl_slist_free_all(s->headers);
		s->headers = curl_slist_append(NULL, "Expect:");
		s->headers = curl_slist_append(s->headers, header);
		curl_easy_setopt(s->curl, CURLOPT_HTTPHEADER, s->headers);
	}
	text_reset(&s->answer);
	curl_easy_setopt(s->curl, CURLOPT_URL, url);
	curl_easy_setopt(s->curl, CURLOPT_POSTFIELDS, text_of(&s->body));
	curl_easy_setopt(s->curl, CURLOPT_POSTFIELDSIZE, (long)s->body.len);
}

static void open_sender(struct sender *s, int number)
{
	struct wire_encoder_opts o = {.host = s->name, .tool = "senders", .interval_ms = 1000};

	snprintf(s->name, sizeof(s->name), NAME_FORMAT, number);
	s->curl = curl_easy_init();
	curl_easy_setopt(s->curl, CURLOPT_PINNEDPUBLICKEY, all.pin);
	curl_easy_setopt(s->curl, CURLOPT_SSL_VERIFYPEER, 0L);
	curl_easy_setopt(s->curl, CURLOPT_SSL_VERIFYHOST, 0L);
	curl_easy_setopt(s->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(s->curl, CURLOPT_TIMEOUT, 30L);
	curl_easy_setopt(s->curl, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(s->curl, CURLOPT_WRITEDATA, s);
	curl_easy_setopt(s->curl, CURLOPT_PRIVATE, s);
	noise_init(&s->noise, 1, 10, 8, 1000);
	s->noise.state += (uint64_t)number * 7919;
	second_init(&s->second);
	o.boot_ns = clock_ns(CLOCK_REALTIME);
	if (wire_encoder_new(&s->encoder, &o))
		die(s->name, series_error());
	s->kept.kept = 1;
	s->live_s = s->asked_s = time(NULL);
}

/* The number of a name in the answer; -1: it is not there. */
static int64_t number_in(json_t *answer, const char *name)
{
	json_t *v = json_object_get(answer, name);

	return json_is_integer(v) ? json_integer_value(v) : -1;
}

static json_t *answer_of(struct sender *s)
{
	long status = 0;
	json_t *j = json_loadb(text_of(&s->answer), s->answer.len, 0, NULL);

	curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
	all.requests++;
	all.failed += status != 200;
	if (status != 200) {
		if (all.failed < 10)
			fprintf(stderr, "senders: %s: status %ld: %s\n", s->name, status,
				text_of(&s->answer));
		json_decref(j);
		return NULL;
	}
	return j;
}

static void enrol(struct sender *s)
{
	const char *token;
	json_t *j;

	text_add(&s->body, "{\"host\": \"%s\"}", s->name);
	prepare(s, EXCHANGE_ENROLL, all.enrolment, true);
	if (curl_easy_perform(s->curl))
		die(s->name, "the service cannot be reached");
	j = answer_of(s);
	token = json_string_value(json_object_get(j, "token"));
	if (!token)
		die(s->name, "it was not enrolled");
	snprintf(s->token, sizeof(s->token), "%s", token);
	json_decref(j);
	text_reset(&s->body);
	prepare(s, EXCHANGE_SECONDS, s->token, true);
}

/* ---- what is sent -------------------------------------------------------------------------------------- */

static void put_seconds(struct sender *s, int64_t now_s)
{
	for (; s->live_s < now_s; s->live_s++) {
		second_clear(&s->second);
		if (noise_second(&s->noise, &s->second, s->live_s + 1) ||
		    wire_encode(s->encoder, &s->second, 0, &s->body))
			die(s->name, series_error());
	}
}

/* The bytes of the file's name in a part are this server's. */
static void rename_part(char *at, size_t len, const char *name)
{
	for (size_t i = 0; i + 6 < len; i++)
		if (!memcmp(at + i, FILE_HOST, 5))
			memcpy(at + i, name, 5);
}

/* 1: there is a copy to send. */
static int put_copy(struct sender *s)
{
	struct text part TEXT_SCOPED = {0};
	struct series_cursor next;
	int got = series_copy_out(all.copy, &s->kept, 0, &part, &next);

	if (got < 0)
		die(s->name, series_error());
	if (!got)
		return 0;
	rename_part(part.at, part.len, s->name);
	if (wire_put_copy(s->name, clock_ns(CLOCK_REALTIME), text_of(&part), part.len, &s->body))
		die(s->name, series_error());
	return 1;
}

static void begin_request(struct sender *s, bool copies)
{
	char path[300];

	if (copies) {
		const char *day = strrchr(all.file, '-');

		snprintf(path, sizeof(path), "%s%s%s?origin=%lld", EXCHANGE_SERIES, s->name, day,
			 (long long)series_copy_origin(all.copy));
	} else {
		snprintf(path, sizeof(path), "%s", EXCHANGE_SECONDS);
	}
	s->copies = copies;
	prepare(s, path, s->token, false);
	s->began_ns = clock_ns(CLOCK_MONOTONIC);
	s->busy = true;
	all.bytes += s->body.len;
	curl_multi_add_handle(all.multi, s->curl);
}

static void end_request(struct sender *s)
{
	json_t *j = answer_of(s);
	int64_t kept;

	if (all.n_ms < TIMES_MAX)
		all.ms[all.n_ms++] =
			(float)((double)(clock_ns(CLOCK_MONOTONIC) - s->began_ns) / 1e6);
	curl_multi_remove_handle(all.multi, s->curl);
	s->busy = false;
	text_reset(&s->body);
	kept = number_in(j, "kept");
	if (kept > 0)
		s->kept = (struct series_cursor){.kept = kept,
						 .boot = number_in(j, "boot"),
						 .device = number_in(j, "device"),
						 .metric = number_in(j, "metric"),
						 .stack = number_in(j, "stack"),
						 .user_stack = number_in(j, "user_stack")};
	json_decref(j);
}

/* ---- the loop ------------------------------------------------------------------------------------------ */

/* The file of which everybody's minutes are, as a probe writes it. */
static void write_second(int64_t now_s)
{
	second_clear(&all.second);
	if (noise_second(&all.noise, &all.second, now_s) ||
	    series_writer_append(all.writer, &all.second) < 0)
		die(FILE_HOST, series_error());
}

static void open_file(void)
{
	struct series_writer_opts o = {
		.dir = all.folder, .host = FILE_HOST, .interval_ms = 1000, .tool = "senders"};
	time_t now = time(NULL);
	struct tm tm;

	snprintf(all.folder, sizeof(all.folder), "/tmp/limpet-senders.XXXXXX");
	if (!mkdtemp(all.folder) || series_writer_new(&all.writer, &o))
		die(all.folder, series_error());
	noise_init(&all.noise, 1, 10, 8, 1000);
	second_init(&all.second);
	write_second(now);
	gmtime_r(&now, &tm);
	snprintf(all.file, sizeof(all.file), "%s/" FILE_HOST "-%04d%02d%02d.limpet", all.folder,
		 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
	if (series_copy_new(&all.copy, all.file))
		die(all.file, series_error());
}

static void read_answers(int wait_ms)
{
	struct CURLMsg *m;
	int left, running;

	curl_multi_perform(all.multi, &running);
	while ((m = curl_multi_info_read(all.multi, &left))) {
		struct sender *s = NULL;

		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&s);
		if (m->data.result && all.failed < 10)
			fprintf(stderr, "senders: %s: %s\n", s->name,
				curl_easy_strerror(m->data.result));
		end_request(s);
	}
	curl_multi_poll(all.multi, NULL, 0, wait_ms, NULL);
}

/* Each second's work is spread over it, as that of real servers is. */
static void send_due(int64_t now_ns)
{
	int64_t now_s = now_ns / NS_PER_S;
	double part = (double)(now_ns % NS_PER_S) / 1e9;

	for (int i = 0; i < all.n; i++) {
		struct sender *s = &all.at[i];

		if (s->busy || (double)i / all.n > part + 0.05)
			continue;
		if (s->live_s < now_s) {
			put_seconds(s, now_s);
			begin_request(s, false);
		} else if ((now_s + i) % 60 == 0 && s->asked_s != now_s) {
			s->asked_s = now_s;
			if (put_copy(s))
				begin_request(s, true);
		}
	}
}

static int by_value(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return ORDER(*x, *y);
}

static void report(int64_t now_s)
{
	int64_t behind = 0;
	double sum;
	struct rusage r;

	for (int i = 0; i < all.n; i++)
		if (now_s - all.at[i].live_s > behind)
			behind = now_s - all.at[i].live_s;
	sort(all.ms, all.n_ms, by_value);
	getrusage(RUSAGE_SELF, &r);
	sum = (double)r.ru_utime.tv_sec + (double)r.ru_stime.tv_sec;
	printf("requests %llu failed %llu bytes %llu behind %lld ms %.2f %.2f %.1f processor "
	       "%.0f\n",
	       (unsigned long long)all.requests, (unsigned long long)all.failed,
	       (unsigned long long)all.bytes, (long long)behind,
	       all.n_ms ? all.ms[all.n_ms / 2] : 0.0F,
	       all.n_ms ? all.ms[all.n_ms * 99 / 100] : 0.0F,
	       all.n_ms ? all.ms[all.n_ms - 1] : 0.0F, sum);
	fflush(stdout);
}

/* https://ADDRESS:PORT#PIN.TOKEN; the pin in the letters that curl wants. */
static void take_line(const char *line)
{
	const char *pin = strchr(line, '#'), *dot = pin ? strchr(pin, '.') : NULL;

	if (!dot || dot - pin - 1 != EXCHANGE_PIN_LEN)
		die(line, "is no line of enrolment");
	snprintf(all.url, sizeof(all.url), "%.*s", (int)(pin - line), line);
	snprintf(all.pin, sizeof(all.pin), "sha256//%.*s=", EXCHANGE_PIN_LEN, pin + 1);
	for (char *c = all.pin + 8; *c; c++)
		*c = *c == '-' ? '+' : *c == '_' ? '/' : *c;
	snprintf(all.enrolment, sizeof(all.enrolment), "%s", dot + 1);
}

/* Recordings of servers that do not exist, a second at a time. */
static int record(const char *dir, int n, int seconds)
{
	struct series_writer **w = calloc((size_t)n, sizeof(*w));
	struct noise *noise = calloc((size_t)n, sizeof(*noise));
	int64_t wrote_s = time(NULL), until_s = wrote_s + seconds;
	struct second second;

	if (!w || !noise)
		die(dir, "no memory");
	second_init(&second);
	for (int i = 0; i < n; i++) {
		char folder[300], host[16];
		struct series_writer_opts o = {
			.dir = folder, .host = host, .interval_ms = 1000, .tool = "senders"};

		snprintf(folder, sizeof(folder), "%s/p%d", dir, i);
		snprintf(host, sizeof(host), "p%d", i);
		noise_init(&noise[i], 1, 10, 8, 1000);
		noise[i].state += (uint64_t)i * 104729;
		if (series_writer_new(&w[i], &o))
			die(folder, series_error());
	}
	for (; wrote_s < until_s; wrote_s++) {
		while (clock_ns(CLOCK_REALTIME) < wrote_s * NS_PER_S)
			usleep(20000);
		for (int i = 0; i < n; i++) {
			second_clear(&second);
			if (noise_second(&noise[i], &second, wrote_s) ||
			    series_writer_append(w[i], &second) < 0)
				die(dir, series_error());
		}
	}
	for (int i = 0; i < n; i++)
		series_writer_free(w[i]);
	return 0;
}

int main(int argc, char **argv)
{
	int64_t until_s, wrote_s, told_s, now_ns;

	if (argc == 5 && !strcmp(argv[1], "--record"))
		return record(argv[2], atoi(argv[3]), atoi(argv[4]));
	if (argc != 4)
		die("usage", "senders LINE COUNT SECONDS");
	take_line(argv[1]);
	curl_global_init(CURL_GLOBAL_ALL);
	all.n = atoi(argv[2]);
	all.at = calloc((size_t)all.n, sizeof(*all.at));
	all.ms = calloc(TIMES_MAX, sizeof(*all.ms));
	all.multi = curl_multi_init();
	if (!all.at || !all.ms || !all.multi)
		die("start", "no memory");
	curl_multi_setopt(all.multi, CURLMOPT_MAXCONNECTS, 2L * all.n);
	for (int i = 0; i < all.n; i++) {
		open_sender(&all.at[i], i);
		enrol(&all.at[i]);
	}
	open_file();
	wrote_s = told_s = time(NULL);
	until_s = wrote_s + atoi(argv[3]);
	for (int i = 0; i < all.n; i++)
		all.at[i].live_s = wrote_s;
	printf("enrolled %d\n", all.n);
	fflush(stdout);
	while ((now_ns = clock_ns(CLOCK_REALTIME)) < until_s * NS_PER_S) {
		for (; wrote_s < now_ns / NS_PER_S; wrote_s++)
			write_second(wrote_s + 1);
		send_due(now_ns);
		read_answers(20);
		if (now_ns / NS_PER_S - told_s >= 10) {
			told_s = now_ns / NS_PER_S;
			report(told_s);
		}
	}
	report(now_ns / NS_PER_S);
	series_copy_free(all.copy);
	series_writer_free(all.writer);
	unlink(all.file);
	rmdir(all.folder);
	return 0;
}
