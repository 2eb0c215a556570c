// SPDX-License-Identifier: BSD-2-Clause
/* Command lines: table-driven options and subcommands, strict numbers, messages. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text_clean.h"
#include "version.h"
#include "array.h"
#include "clock.h"

#define MAX_OPTIONS 64

const char *program_name = "limpet";

static _Thread_local char last[512];

const char *said_last(void)
{
	return last;
}

/* The one place where messages are made: one line each, of nothing but text. */
static void vwarn(const char *fmt, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	fflush(stdout);
	snprintf(last, sizeof(last), "%s", text ? text_clean(text) : "out of memory");
	fprintf(stderr, "%s: %s\n", program_name, text ? text : last);
	free(text);
}

void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vwarn(fmt, ap);
	va_end(ap);
}

int fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vwarn(fmt, ap);
	va_end(ap);
	return -1;
}

int parse_uint(const char *s, unsigned int min, unsigned int max, unsigned int *out)
{
	char *end;
	unsigned long v;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoul(s, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno || v < min || v > max)
		return -ERANGE;
	*out = (unsigned int)v;
	return 0;
}

int parse_double(const char *s, double min, double max, double *out)
{
	char *end;
	double v;

	if (!*s || isspace((unsigned char)*s))
		return -EINVAL;
	v = strtod(s, &end);
	if (*end || isnan(v))
		return -EINVAL;
	if (v < min || v > max)
		return -ERANGE;
	*out = v;
	return 0;
}

int parse_time(const char *s, int64_t *ns)
{
	static const char *const formats[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S",
					      "%Y-%m-%d %H:%M:%S", "%Y-%m-%d"};

	if (*s == '@') {
		double sec;
		int err = parse_double(s + 1, 0, 9e9, &sec);

		if (!err)
			*ns = ns_of_s(sec);
		return err;
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct tm tm = {0};
		const char *end = strptime(s, formats[i], &tm);

		if (end && !*end) {
			int day = tm.tm_mday;
			int64_t sec = timegm(&tm), at;

			/* There is no 31 February, and from 1677 to 2262 is what fits. */
			if (tm.tm_mday != day || __builtin_mul_overflow(sec, NS_PER_S, &at))
				return -EINVAL;
			*ns = at;
			return 0;
		}
	}
	return -EINVAL;
}

int parse_size(const char *s, double min, double max, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	const char *unit;
	unsigned int shift = 0;
	uint64_t v = 0;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	for (; isdigit((unsigned char)*s); s++) {
		if (v > UINT64_MAX / 20)
			return -ERANGE;
		v = v * 10 + (uint64_t)(*s - '0');
	}
	unit = *s ? strchr(units, toupper((unsigned char)*s)) : NULL;
	if (unit) {
		shift = 10 * (unsigned int)(unit - units + 1);
		s++;
	}
	if (*s)
		return -EINVAL;
	if (v > UINT64_MAX >> shift || (double)(v << shift) < min || (double)(v << shift) > max)
		return -ERANGE;
	*bytes = v << shift;
	return 0;
}

void string_list_release(struct string_list *l)
{
	free(l->at);
	l->at = NULL;
	l->n = 0;
}

bool string_list_has(const struct string_list *l, const char *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i], s))
			return true;
	return false;
}

bool string_list_allows(const struct string_list *l, const char *s)
{
	return !l->n || string_list_has(l, s);
}

size_t string_list_distinct(const struct string_list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		size_t k = 0;

		while (k < i && strcmp(l->at[k], l->at[i]))
			k++;
		n += k == i;
	}
	return n;
}

static int string_list_add(struct string_list *l, const char *s)
{
	return array_put(&l->at, &l->n, s);
}

static void print_usage(const struct command *cmd)
{
	printf("usage: %s %s [options] %s\n\n%s\n\n", program_name, cmd->name, cmd->args,
	       cmd->summary);
	for (const struct option_def *o = cmd->options; o->name; o++) {
		char left[64], letter[8] = "    ";

		if (o->letter)
			snprintf(letter, sizeof(letter), "-%c, ", o->letter);
		snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name, o->arg ? " " : "",
			 o->arg ? o->arg : "");
		printf("  %-26s %s\n", left, o->help);
	}
	printf("  %-26s %s\n", "-h, --help", "this text");
}

/* Stores one option's value; -EINVAL after a message. */
static int store(const struct option_def *o, void *into, const char *value)
{
	void *at = (char *)into + o->offset;
	const char *want = NULL;
	int err = 0;

	switch (o->type) {
	case OPT_FLAG: *(bool *)at = true; break;
	case OPT_STRING: *(const char **)at = value; break;
	case OPT_LIST: err = string_list_add(at, value); break;
	case OPT_UINT:
		want = "a whole number";
		err = parse_uint(value, (unsigned int)o->min, (unsigned int)o->max, at);
		break;
	case OPT_DOUBLE:
		want = "a number";
		err = parse_double(value, o->min, o->max, at);
		break;
	case OPT_SIZE:
		want = "a size such as 500M or 2G";
		err = parse_size(value, o->min, o->max, at);
		break;
	case OPT_TIME:
		want = "a time such as 2026-11-21T03:00:00Z or @1795230000";
		err = parse_time(value, at);
		break;
	}
	/* a time has no range of its own: what does not fit is no time */
	if (err == -ERANGE && o->type == OPT_TIME)
		err = -EINVAL;
	if (err == -ERANGE)
		fail("'--%s %s' is out of range: %s from %g to %g is needed", o->name, value, want,
		     o->min, o->max);
	else if (err == -EINVAL)
		fail("'--%s %s': %s is needed", o->name, value, want);
	return err ? -EINVAL : 0;
}

int options_parse(const struct command *cmd, void *into, int argc, char **argv)
{
	struct option longs[MAX_OPTIONS + 2] = {0};
	char shorts[2 * MAX_OPTIONS + 4] = ":h";
	size_t n = 0, n_short = 2;
	int c, index, rest;

	for (; cmd->options[n].name && n < MAX_OPTIONS; n++) {
		const struct option_def *o = &cmd->options[n];

		longs[n] = (struct option){o->name, o->arg ? required_argument : no_argument, NULL,
					   (int)(256 + n)};
		if (o->letter) {
			shorts[n_short++] = o->letter;
			if (o->arg)
				shorts[n_short++] = ':';
		}
	}
	longs[n] = (struct option){"help", no_argument, NULL, 'h'};
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, &index)) != -1) {
		const struct option_def *o = NULL;

		if (c == 'h' && !cmd->summary) {
			fail("'--help' has its place on the command line alone");
			return -EINVAL;
		}
		if (c == 'h') {
			print_usage(cmd);
			return -ECANCELED;
		}
		if (c == '?' || c == ':') {
			fail("%s '%s' (see '%s %s --help')",
			     c == ':' ? "a value is missing after" : "unknown or ambiguous option",
			     argv[optind - 1], program_name, cmd->name);
			return -EINVAL;
		}
		if (c >= 256)
			o = &cmd->options[c - 256];
		else
			for (o = cmd->options; o->letter != c; o++)
				;
		if (store(o, into, optarg))
			return -EINVAL;
	}
	rest = argc - optind;
	memmove(argv + 1, argv + optind, (size_t)rest * sizeof(*argv));
	return rest;
}

int options_words(const struct command *cmd, void *into, int argc, char **argv, const char *needed,
		  size_t *n)
{
	int words = options_parse(cmd, into, argc, argv);

	if (!words)
		fail("%s is needed (see '%s %s --help')", needed, program_name, cmd->name);
	*n = words > 0 ? (size_t)words : 0;
	return words == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
}

void options_release(const struct command *cmd, void *into)
{
	for (const struct option_def *o = cmd->options; o->name; o++)
		if (o->type == OPT_LIST)
			string_list_release((struct string_list *)((char *)into + o->offset));
}

static void print_commands(const char *about, const struct command *table)
{
	printf("%s %s: %s\n\n", program_name, LIMPET_VERSION, about);
	for (const struct command *c = table; c->name; c++)
		printf("  %s %-9s %s\n", program_name, c->name, c->summary);
	printf("\n'%s COMMAND --help' tells the options of a command.\n", program_name);
}

static void dump_options(const struct command *table)
{
	for (const struct command *c = table; c->name; c++) {
		for (const struct option_def *o = c->options; o->name; o++) {
			char letter[3] = {'-', o->letter, '\0'};

			printf("%s %s --%s %s\n", c->name, letter, o->name, o->arg ? o->arg : "-");
		}
		printf("%s -h --help -\n", c->name);
	}
}

int commands_dispatch(const char *program, const char *about, const struct command *table, int argc,
		      char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	program_name = program;
	if (!word) {
		fail("a command is needed (see '%s --help')", program);
		return EXIT_USAGE;
	}
	if (!strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h")) {
		print_commands(about, table);
		return EXIT_DONE;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("%s %s\n", program, LIMPET_VERSION);
		return EXIT_DONE;
	}
	if (!strcmp(word, "--dump-options")) {
		dump_options(table);
		return EXIT_DONE;
	}
	for (const struct command *c = table; c->name; c++)
		if (!strcmp(word, c->name))
			return c->run(argc - 1, argv + 1);
	fail("'%s' is not a command (see '%s --help')", word, program);
	return EXIT_USAGE;
}
