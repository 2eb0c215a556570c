// SPDX-License-Identifier: BSD-2-Clause
/* states_lines.h: states one by one, as CSV, JSON Lines and in words. */
#include "states_lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "userspace/common/clock.h"
#include "userspace/common/output.h"
#include "userspace/common/text.h"

/* Names hold neither control characters nor bad UTF-8. */
static void print_json_text(const char *key, const char *s)
{
	if (!*s)
		return;
	printf(",\"%s\":\"", key);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		putchar(*s);
	}
	putchar('"');
}

/* Seconds of an exact number of nanoseconds, without trailing zeros. */
static const char *seconds(int64_t ns, char buf[32])
{
	int len = snprintf(buf, 32, "%lld.%09lld", (long long)(ns / NS_PER_S),
			   (long long)(ns % NS_PER_S));

	while (buf[len - 1] == '0')
		buf[--len] = 0;
	if (buf[len - 1] == '.')
		buf[--len] = 0;
	return buf;
}

/* What the user calls its job: the same program on other data is another job. */
static const char *program_of(const struct states *s, const struct state *st)
{
	return st->job < s->jobs.n && s->job ? states_name(&s->classes, s->job[st->job].name) : "";
}

void states_csv_header(void)
{
	puts("time,node,state,duration,bytes,records,peer,job,id,class,outcome,progress,in,out,"
	     "lost,speculative,file,offset,cpu_s,memory_mib,container,pid");
}

/* What is known. */
static void __attribute__((format(printf, 2, 3))) print_if(bool known, const char *format, ...)
{
	va_list args;

	if (!known)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

static void print_column(const char *name)
{
	putchar(',');
	output_csv(name);
}

void state_print_csv(const struct states *s, const struct state *st)
{
	char when[TIME_TEXT_LEN], number[32];

	printf("%s", output_time(st->start_ns, when));
	print_column(states_name(&s->nodes, st->node));
	printf(",%s,%s,", state_rows[st->kind].word,
	       st->outcome == OUTCOME_OPEN ? "" : seconds(st->end_ns - st->start_ns, number));
	print_if(st->bytes >= 0, "%lld", (long long)st->bytes);
	putchar(',');
	print_if(st->records >= 0, "%lld", (long long)st->records);
	print_column(states_name(&s->nodes, st->peer));
	print_column(states_name(&s->jobs, st->job));
	print_column(states_name(&s->ids, st->id));
	print_column(states_name(&s->classes, st->cls));
	print_column(outcome_words[st->outcome]);
	putchar(',');
	print_if(!isnan(st->progress), "%.3g", (double)st->progress);
	print_column(states_name(&s->items, st->in));
	print_column(states_name(&s->items, st->out));
	printf(",%d,%d", st->lost, st->speculative);
	print_column(states_name(&s->files, st->file));
	printf(",%llu,", (unsigned long long)st->offset);
	print_if(!isnan(st->cpu_s), "%.6g", (double)st->cpu_s);
	putchar(',');
	print_if(!isnan(st->memory_mib), "%.9g", (double)st->memory_mib);
	print_column(states_name(&s->ids, st->container));
	putchar(',');
	print_if(st->pid, "%u", st->pid);
	putchar('\n');
}

void state_print_json(const struct states *s, const struct state *st)
{
	char when[TIME_TEXT_LEN], number[32];

	printf("{\"time\":\"%s\"", output_time(st->start_ns, when));
	print_json_text("node", states_name(&s->nodes, st->node));
	print_json_text("state", state_rows[st->kind].word);
	/* of an open one it is how long it has lasted at least */
	printf(",\"%s\":%s", st->outcome == OUTCOME_OPEN ? "age" : "duration",
	       seconds(st->end_ns - st->start_ns, number));
	print_if(st->bytes >= 0, ",\"bytes\":%lld", (long long)st->bytes);
	print_if(st->records >= 0, ",\"records\":%lld", (long long)st->records);
	print_json_text("peer", states_name(&s->nodes, st->peer));
	print_json_text("job", states_name(&s->jobs, st->job));
	print_json_text("program", program_of(s, st));
	print_json_text("id", states_name(&s->ids, st->id));
	print_json_text("class", states_name(&s->classes, st->cls));
	print_json_text("outcome", outcome_words[st->outcome]);
	print_if(!isnan(st->progress), ",\"progress\":%.3g", (double)st->progress);
	print_if(!isnan(st->cpu_s), ",\"cpu_s\":%.6g", (double)st->cpu_s);
	print_if(!isnan(st->memory_mib), ",\"memory_mib\":%.9g", (double)st->memory_mib);
	print_json_text("container", states_name(&s->ids, st->container));
	print_if(st->pid, ",\"pid\":%u", st->pid);
	print_json_text("in", states_name(&s->items, st->in));
	print_json_text("out", states_name(&s->items, st->out));
	print_if(st->lost, ",\"lost\":true");
	print_if(st->speculative, ",\"speculative\":true");
	print_json_text("file", states_name(&s->files, st->file));
	printf(",\"offset\":%llu}\n", (unsigned long long)st->offset);
}

/* A line for people, of what is known. */
static void __attribute__((format(printf, 2, 3))) say_if(bool known, const char *format, ...)
{
	struct text said TEXT_SCOPED = {0}, seen TEXT_SCOPED = {0};
	va_list args;

	if (!known)
		return;
	va_start(args, format);
	text_vadd(&said, format, args);
	va_end(args);
	text_put_seen(&seen, text_of(&said));
	puts(text_of(&seen));
}

void state_print_words(const struct states *s, const struct state *st)
{
	char when[TIME_TEXT_LEN], number[32];

	say_if(true, "%s  %s of %s on %s: %s%s s, %s%s%s", output_time(st->start_ns, when),
	       state_rows[st->kind].word, states_name(&s->ids, st->id),
	       states_name(&s->nodes, st->node), st->outcome == OUTCOME_OPEN ? "at least " : "",
	       seconds(st->end_ns - st->start_ns, number), outcome_words[st->outcome],
	       st->lost ? ", lost later" : "", st->speculative ? ", speculative" : "");
	say_if(st->peer != STATE_NONE, "  with:  %s", states_name(&s->nodes, st->peer));
	say_if(st->in != STATE_NONE, "  in:    %s", states_name(&s->items, st->in));
	say_if(st->out != STATE_NONE, "  out:   %s", states_name(&s->items, st->out));
	say_if(!isnan(st->cpu_s), "  took:  %.3g s of processor time", (double)st->cpu_s);
	say_if(!isnan(st->memory_mib), "  held:  %.3g MiB of memory", (double)st->memory_mib);
	say_if(st->pid, "  was:   process %u%s%s", st->pid,
	       st->container == STATE_NONE ? "" : " of ", states_name(&s->ids, st->container));
	say_if(true, "  log:   %s, byte %llu", states_name(&s->files, st->file),
	       (unsigned long long)st->offset);
}
