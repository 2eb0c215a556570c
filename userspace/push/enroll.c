// SPDX-License-Identifier: BSD-2-Clause
/* `limpet-push enroll LINE`: this host's token from a receiver, and the file that says so. */
#include "push_commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "userspace/fetch/receiver.h"
#include "userspace/common/output.h"

/* What was answered, in words that say what to do. 0: r has the host's token. */
static int take_answer(struct receiver *r, const char *host, long status, const struct text *answer)
{
	struct answer a;

	if (answer_read(&a, text_of(answer), answer->len) || (status == 200 && !*a.token))
		return fail("'%s' answers with status %ld, and not as limpet serve does", r->url,
			    status);
	if (status == 200) {
		strcpy(r->token, a.token);
		return 0;
	}
	if (status == 409)
		return fail(
			"'%s' has a host '%s' already: run `limpet serve approve %s` there, and "
			"enroll again; or give another name with --host",
			r->url, host, host);
	if (status == 401)
		return fail(
			"'%s' does not know this line: its token has expired or was taken back; "
			"run `limpet serve enroll` there for a new one",
			r->url);
	return fail("'%s' refuses with status %ld%s%s", r->url, status, *a.error ? ": " : "",
		    a.error);
}

static int ask(struct receiver *r, const char *host)
{
	char url[URL_MAX_LEN + 32], body[HOST_LEN + 32], why[WHY_LEN];
	struct text answer TEXT_SCOPED = {0};
	struct fetch *f = receiver_fetch(r, NULL, why);
	long status = 0;
	int err;

	snprintf(url, sizeof(url), "%s%s", r->url, EXCHANGE_ENROLL);
	/* Names of hosts have nothing that JSON would want escaped. */
	snprintf(body, sizeof(body), "{\"host\": \"%s\"}", host);
	err = f ? fetch_post(f, url, body, strlen(body), EXCHANGE_ANSWER_MAX, &answer, &status, why)
		: -EINVAL;
	fetch_free(f);
	if (err == -EACCES)
		return fail(
			"'%s' has another key than this line says: either the line is of another "
			"receiver, or somebody else answers there; run `limpet serve enroll` at "
			"the "
			"receiver for a new line",
			r->url);
	if (err)
		return fail("cannot ask '%s': %s", r->url, why);
	err = take_answer(r, host, status, &answer);
	explicit_bzero(answer.at, answer.at ? answer.len : 0);
	return err;
}

int cmd_enroll(int argc, char **argv)
{
	static const struct command cmd = {
		"enroll",
		"LINE",
		"make a receiver known by the line that `limpet serve` printed.",
		enroll_options,
		cmd_enroll,
		NULL};
	struct push_opts o = {.receivers = PUSH_RECEIVERS};
	char host[HOST_LEN], why[WHY_LEN];
	struct receiver r;
	size_t n;
	int status = options_words(&cmd, &o, argc, argv,
				   "the LINE that `limpet serve enroll` printed", &n);

	if (!n)
		return status;
	if (n > 1) {
		fail("'%s': one LINE is enough", argv[2]);
		return EXIT_USAGE;
	}
	if (receiver_of_line(&r, argv[1], why)) {
		fail("%s", why);
		return EXIT_USAGE;
	}
	status = push_host(o.host, host);
	if (status)
		return status;
	/* Before a use of the line is spent. */
	if (receivers_folder(o.receivers) || ask(&r, host) || receiver_write(&r, o.receivers))
		return EXIT_FAILED;
	printf("%s is enrolled at %s; '%s' says so\n", host, r.url, r.file);
	return output_finish(EXIT_DONE);
}
