// SPDX-License-Identifier: BSD-2-Clause
/* Rights that end for good: capabilities, and the order of what ends them. */
#include "rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "userspace/common/options.h"

/* By number in two words each; without libcap, which would do no more than this here. */
struct capabilities {
	struct __user_cap_data_struct at[_LINUX_CAPABILITY_U32S_3];
};

static int get_capabilities(struct capabilities *c)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};

	return syscall(SYS_capget, &head, c->at) ? -errno : 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct capabilities none = {0};

	/* The ambient ones, of systemd, would go with the permitted: said all the same. */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return syscall(SYS_capset, &head, none.at) ? -errno : 0;
}

/* What each is for; all are dropped after attaching. */
static const struct {
	unsigned int cap;
	const char *name;
} needed[] = {
	{CAP_BPF, "CAP_BPF"},		  /* load programs, create maps */
	{CAP_PERFMON, "CAP_PERFMON"},	  /* attach to tracepoints, read kernel memory */
	{CAP_SYS_NICE, "CAP_SYS_NICE"},	  /* punctual samples: SCHED_FIFO */
	{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}, /* enter a network namespace; only then */
};

void rights_missing(char *buf, size_t size, bool netns)
{
	struct capabilities have = {0};
	size_t used = 0;

	buf[0] = '\0';
	get_capabilities(&have);
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		uint32_t word = have.at[CAP_TO_INDEX(needed[i].cap)].effective;

		if (word & CAP_TO_MASK(needed[i].cap) || used >= size ||
		    (needed[i].cap == CAP_SYS_ADMIN && !netns))
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
					 needed[i].name);
	}
}

/* The kernel says where its capabilities end: by -1 for one it does not know. */
static void empty_bounding_set(void)
{
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

bool rights_bounding_empty(void)
{
	int has = 0;

	for (unsigned long cap = 0; !has && (has = prctl(PR_CAPBSET_READ, cap, 0, 0, 0)) >= 0;
	     cap++)
		;
	return has < 0;
}

/*
 * Both are refused without CAP_SETPCAP: under systemd, whose user is not root. Then no_new_privs
 * alone keeps what execve(2) would give out of the bounding set away.
 */
static void close_the_ways_back(void)
{
	empty_bounding_set();
	prctl(PR_SET_SECUREBITS,
	      SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
		      SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
		      SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
	      0, 0, 0);
}

int rights_prepare(struct rights *r, int folder, int options, char *why)
{
	r->ruleset = rights_landlock_new(folder, options, &r->landlock);
	if (r->ruleset >= 0 || !r->landlock)
		return 0;
	snprintf(why, WHY_LEN, "cannot end the probe's rights: Landlock: %s",
		 strerror(-r->ruleset));
	return r->ruleset;
}

bool rights_confine_files(void)
{
	int abi, ruleset = rights_landlock_new(-1, -1, &abi);

	if (ruleset >= 0)
		close(ruleset);
	return ruleset >= 0;
}

void rights_release(struct rights *r)
{
	if (r->ruleset >= 0)
		close(r->ruleset);
	r->ruleset = -1;
}

/* What was to happen has happened: asked of the kernel, as somebody who looks at /proc would. */
static int check(void)
{
	struct capabilities have;
	int err = get_capabilities(&have);

	for (int i = 0; !err && i < _LINUX_CAPABILITY_U32S_3; i++)
		if (have.at[i].permitted | have.at[i].effective | have.at[i].inheritable)
			err = -EPERM;
	return err ? err : prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : -EPERM;
}

int rights_end(const struct rights *r, char *why)
{
	const char *step = "no_new_privs";
	int err = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;

	if (!err) {
		step = "capabilities";
		close_the_ways_back();
		err = drop_capabilities();
	}
	if (!err) {
		step = "Landlock";
		err = rights_landlock_enter(r->ruleset);
	}
	if (!err) {
		step = "seccomp";
		/* EINVAL: CONFIG_SECCOMP is not set. */
		err = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0 ? 0 : rights_filter_calls();
	}
	if (!err) {
		step = "what is left of them";
		err = check();
	}
	if (err)
		snprintf(why, WHY_LEN, "cannot end the probe's rights: %s: %s", step,
			 strerror(-err));
	return err;
}
