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
#include <unistd.h>

#include "text.h"
#include "text_clean.h"
#include "version.h"
#include "array.h"
#include "clock.h"
#include "output.h"
#include "program.h"
#include "times.h"

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
	struct text seen = {0};
	char *text;

	if (vasprintf(&text, fmt, ap) < 0) {
		text_fail(&seen);
	} else {
		text_put_seen(&seen, text);
		free(text);
	}
	text = text_take(&seen, NULL);
	fflush(stdout);
	text_fit(last, sizeof(last), text ? text : "out of memory");
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
	return -EINVAL;
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
	case OPT_LOCAL: break; /* parse_times() */
	}
	if (err == -ERANGE)
		fail("'--%s %s' is out of range: %s from %g to %g is needed", o->name, value, want,
		     o->min, o->max);
	else if (err == -EINVAL)
		fail("'--%s %s': %s is needed", o->name, value, want);
	return err ? -EINVAL : 0;
}

/* getopt's form of the table. */
struct option_forms {
	struct option longs[MAX_OPTIONS + 2];
	char shorts[2 * MAX_OPTIONS + 4];
};

static void make_forms(const struct command *cmd, struct option_forms *f)
{
	size_t n = 0, n_short = 2;

	*f = (struct option_forms){.shorts = ":h"};
	for (; cmd->options[n].name && n < MAX_OPTIONS; n++) {
		const struct option_def *o = &cmd->options[n];

		f->longs[n] = (struct option){o->name, o->arg ? required_argument : no_argument,
					      NULL, (int)(256 + n)};
		if (o->letter) {
			f->shorts[n_short++] = o->letter;
			if (o->arg)
				f->shorts[n_short++] = ':';
		}
	}
	f->longs[n] = (struct option){"help", no_argument, NULL, 'h'};
}

static const struct option_def *option_of(const struct command *cmd, int c)
{
	const struct option_def *o = cmd->options;

	if (c >= 256)
		return o + (c - 256);
	while (o->letter != c)
		o++;
	return o;
}

/* The options that the last line had, of its command: the table, which stays. */
static const struct option_def *parsed;
static bool given[MAX_OPTIONS];

bool option_given(const char *name)
{
	for (size_t i = 0; parsed && i < MAX_OPTIONS && parsed[i].name; i++)
		if (!strcmp(parsed[i].name, name))
			return given[i];
	return false;
}

int options_exclude(const char *name, const char *const *others)
{
	for (; option_given(name) && *others; others++)
		if (option_given(*others)) {
			fail("'--%s' and '--%s' exclude each other", name, *others);
			return -EINVAL;
		}
	return 0;
}

static bool is_word(const char *name, char *const *words, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(words[i], name))
			return true;
	return false;
}

static int check_needs(const struct command *cmd, char *const *words, int n)
{
	for (const struct option_need *d = cmd->needs; d && d->option; d++) {
		const char *const *need = d->needs;

		while (*need &&
		       !(strcmp(*need, "-") ? option_given(*need + 2) : is_word(*need, words, n)))
			need++;
		if (*need || !option_given(d->option))
			continue;
		fail("'--%s' has no meaning without '%s'%s%s%s", d->option, d->needs[0],
		     d->needs[1] ? " or '" : "", d->needs[1] ?: "", d->needs[1] ? "'" : "");
		return -EINVAL;
	}
	return 0;
}

/* What was given of times: they are read when it is known in which zone. */
struct given_times {
	const char *local;     /* the option that asks for local time; NULL: none did */
	const char *form;      /* one whose output has no local times; NULL: none */
	const char *from, *to; /* as they were said */
	int64_t from_ns, to_ns;
	bool any;
};

/* Options with which times are UTC, or there are none, whatever is asked for. */
static bool has_no_local_times(const struct option_def *o)
{
	static const char *const names[] = {"csv", "json", "latencies", "pprof", "stacks", "svg"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(o->name, names[i]))
			return true;
	return false;
}

static int parse_one_time(const struct option_def *o, void *into, const char *value,
			  struct given_times *t)
{
	int64_t *ns = (int64_t *)((char *)into + o->offset);
	char why[WHY_LEN];

	if (time_said(value, &time_here, ns, why)) {
		fail("'--%s %s': %s", o->name, value, why);
		return -EINVAL;
	}
	t->any = true;
	if (!strcmp(o->name, "from")) {
		t->from = value;
		t->from_ns = *ns;
	} else if (!strcmp(o->name, "to")) {
		t->to = value;
		t->to_ns = *ns;
	}
	return 0;
}

/* After the first pass over argv, which put options first. */
static int parse_times(const struct command *cmd, const struct option_forms *f, void *into,
		       int argc, char **argv, struct given_times *t)
{
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];
	int c, index, err = 0;

	if (!time_here.now_ns)
		time_here.now_ns = clock_ns(CLOCK_REALTIME);
	time_here.local = t->local != NULL;
	time_here.shown = t->local && !t->form;
	time_here.may_local = false;
	for (const struct option_def *o = cmd->options; o->name; o++)
		time_here.may_local |= o->type == OPT_LOCAL;
	optind = 0;
	while (!err && (c = getopt_long(argc, argv, f->shorts, f->longs, &index)) != -1) {
		const struct option_def *o = option_of(cmd, c);

		if (o->type == OPT_TIME)
			err = parse_one_time(o, into, optarg, t);
	}
	if (!err && t->from && t->to && t->from_ns >= t->to_ns) {
		fail("'--from %s' (%s) is not before '--to %s' (%s)", t->from,
		     output_time(t->from_ns, from), t->to, output_time(t->to_ns, to));
		err = -EINVAL;
	} else if (!err && t->local && t->form && !t->any) {
		fail("'--%s' has no meaning for '--%s', which has no local times: it is for text, "
		     "and for times in options",
		     t->local, t->form);
		err = -EINVAL;
	}
	return err;
}

int options_parse(const struct command *cmd, void *into, int argc, char **argv)
{
	struct given_times times = {0};
	struct option_forms forms;
	int c, index, rest;

	make_forms(cmd, &forms);
	parsed = cmd->options;
	memset(given, 0, sizeof(given));
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, forms.shorts, forms.longs, &index)) != -1) {
		const struct option_def *o;

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
		o = option_of(cmd, c);
		if (store(o, into, optarg))
			return -EINVAL;
		given[o - cmd->options] = true;
		times.local = o->type == OPT_LOCAL ? o->name : times.local;
		times.form = has_no_local_times(o) ? o->name : times.form;
	}
	rest = argc - optind;
	if (parse_times(cmd, &forms, into, argc, argv, &times) ||
	    check_needs(cmd, argv + argc - rest, rest))
		return -EINVAL;
	memmove(argv + 1, argv + argc - rest, (size_t)rest * sizeof(*argv));
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

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_list(const struct string_list *a, const struct string_list *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; same && i < a->n; i++)
		same = !strcmp(a->at[i], b->at[i]);
	return same;
}

bool option_is_same(const struct option_def *o, const void *a, const void *b)
{
	const void *x = (const char *)a + o->offset, *y = (const char *)b + o->offset;

	switch (o->type) {
	case OPT_FLAG: return *(const bool *)x == *(const bool *)y;
	case OPT_STRING: return is_same_text(*(const char *const *)x, *(const char *const *)y);
	case OPT_LIST: return is_same_list(x, y);
	case OPT_UINT: return *(const unsigned int *)x == *(const unsigned int *)y;
	case OPT_DOUBLE: return !memcmp(x, y, sizeof(double));
	case OPT_SIZE: return *(const uint64_t *)x == *(const uint64_t *)y;
	case OPT_TIME: return *(const int64_t *)x == *(const int64_t *)y;
	case OPT_LOCAL: break;
	}
	return true;
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
	printf("\n'%s COMMAND --help' tells the options of a command, '%s help' shows the "
	       "manual.\n",
	       program_name, program_name);
}

/* A row of --dump-options; the help is in one line. */
static void dump_option(const struct command *c, char letter, const char *name, const char *arg,
			const char *help)
{
	printf("%s -%.1s --%s %s ", c->name, &letter, name, arg ?: "-");
	for (; *help; help++)
		if (!isspace((unsigned char)*help) || !isspace((unsigned char)help[1]))
			putchar(isspace((unsigned char)*help) ? ' ' : *help);
	putchar('\n');
}

static void dump_options(const struct command *table)
{
	for (const struct command *c = table; c->name; c++) {
		for (const struct option_def *o = c->options; o->name; o++)
			dump_option(c, o->letter, o->name, o->arg, o->help);
		dump_option(c, 'h', "help", NULL, c->summary);
	}
}

static const struct command *command_named(const struct command *table, const char *word)
{
	const struct command *c = table;

	while (c->name && strcmp(word, c->name))
		c++;
	if (c->name)
		return c;
	fail("'%s' is not a command (see '%s --help')", word, program_name);
	return NULL;
}

/* Becomes man(1), which shows the page of the program or of a command (NULL: none). Returns if there is no man, or no page. */
static void show_page(const char *command)
{
	char page[64], why[PROGRAM_WHY_LEN];
	char *find[] = {"man", "-w", page, NULL}, *show[] = {"man", page, NULL};
	const struct program_how how = {
		.path = "man", .search = true, .quiet = true, .arguments = find};
	struct program p = {0};

	snprintf(page, sizeof(page), "%s%s%s", program_name, command ? "-" : "", command ?: "");
	if (!program_start(&p, &how) && !program_wait(&p, why))
		execvp("man", show);
}

/* `help` and `help COMMAND`: the page of the manual, or what --help prints. */
static int show_help(const char *about, const struct command *table, int argc, char **argv)
{
	const struct command *c = argc > 2 ? command_named(table, argv[2]) : NULL;

	if (argc > 2 && !c)
		return EXIT_USAGE;
	if (argc > 3) {
		fail("'%s': nothing may follow the command here (see '%s --help')", argv[3],
		     program_name);
		return EXIT_USAGE;
	}
	show_page(c ? c->name : NULL);
	if (c)
		print_usage(c);
	else
		print_commands(about, table);
	return EXIT_DONE;
}

int commands_dispatch(const char *program, const char *about, const struct command *table, int argc,
		      char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct command *c;

	program_name = program;
	if (!word) {
		fail("a command is needed (see '%s --help')", program);
		return EXIT_USAGE;
	}
	if (!strcmp(word, "help"))
		return show_help(about, table, argc, argv);
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		print_commands(about, table);
		return EXIT_DONE;
	}
	if (!strcmp(word, "version") || !strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("%s %s\n", program, LIMPET_VERSION);
		return EXIT_DONE;
	}
	if (!strcmp(word, "--dump-options")) {
		dump_options(table);
		return EXIT_DONE;
	}
	c = command_named(table, word);
	return c ? c->run(argc - 1, argv + 1) : EXIT_USAGE;
}
