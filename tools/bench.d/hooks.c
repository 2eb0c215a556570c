// SPDX-License-Identifier: BSD-2-Clause
/*
 * Holds something of the kernel's for tools/bench-probe until it is killed or its parent ends:
 *
 *   hooks stats          the run-time statistics of BPF programs (the kernel ends them with us)
 *   hooks NAME…          the empty programs of those names, attached
 *
 * Prints "ready" when it stands.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "hooks.skel.h"

static int fail(const char *what, int err)
{
	fprintf(stderr, "hooks: cannot %s: %s\n", what, strerror(err < 0 ? -err : err));
	return 1;
}

static bool wanted(const char *name, char **names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

/* All of the names, or nothing. */
static int attach(struct hooks_bpf *h, char **names)
{
	struct bpf_program *p;

	for (char **n = names; *n; n++)
		if (!bpf_object__find_program_by_name(h->obj, *n))
			return -ENOENT;
	bpf_object__for_each_program(p, h->obj)
		bpf_program__set_autoload(p, wanted(bpf_program__name(p), names));
	if (hooks_bpf__load(h))
		return -errno;
	bpf_object__for_each_program(p, h->obj)
	{
		if (wanted(bpf_program__name(p), names) && !bpf_program__attach(p))
			return -errno;
	}
	return 0;
}

static int hold(void)
{
	puts("ready");
	fflush(stdout);
	while (pause() < 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	struct hooks_bpf *h;
	int err;

	if (argc < 2) {
		fprintf(stderr, "usage: hooks stats|PROGRAM...\n");
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!strcmp(argv[1], "stats")) {
		if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0)
			return fail("have the kernel time BPF programs", errno);
		return hold();
	}
	h = hooks_bpf__open();
	if (!h)
		return fail("open the empty programs", errno);
	err = attach(h, argv + 1);
	if (!err)
		err = hold();
	else
		fail("attach the empty programs", err);
	hooks_bpf__destroy(h);
	return err ? 1 : 0;
}
