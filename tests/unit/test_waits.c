// SPDX-License-Identifier: BSD-2-Clause
/* What threads wait for: the table of functions, futexes, stacks that start nowhere, threads that stay. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit.h"
#include "userspace/probe/profile/profile.h"
#include "userspace/probe/profile/stacks.h"

#define ENTRY "entry_SYSCALL_64_after_hwframe"

/* A kernel whose function at 16 * (i + 1) is name[i]; 0 names nothing. */
static const char *names[32];
static struct thread_sample samples[8];
static size_t n_samples, asked;
static int looks_fail;

static int follow(void *source, uint32_t pid)
{
	(void)source;
	(void)pid;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int look(void *source, int fd, thread_sample_fn fn, void *arg)
{
	(void)source;
	assert_true(fd >= 0);
	for (size_t i = 0; i < n_samples; i++)
		fn(arg, &samples[i]);
	return looks_fail;
}

static int name(void *source, uint64_t address, char to[FUNCTION_LEN])
{
	size_t i = (size_t)(address / 16) - 1;

	(void)source;
	asked++;
	if (i >= sizeof(names) / sizeof(*names) || !names[i])
		return -ENOENT;
	snprintf(to, FUNCTION_LEN, "%s", names[i]);
	return 0;
}

/* A thread asleep in the functions of a list, the innermost first. */
static struct thread_sample asleep(uint32_t tid, const char *stack)
{
	struct thread_sample s = {.pid = 1, .tid = tid, .state = THREAD_ASLEEP, .call = 0};
	static char words[8][512];
	char *text = words[tid % 8], *save = NULL;

	strcpy(text, stack);
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		size_t i = 0;

		while (names[i] && strcmp(names[i], w) != 0)
			i++;
		names[i] = w;
		/* Within the function, behind its first byte. */
		s.frame[s.n_frames++] = 16 * (i + 1) + 5;
	}
	return s;
}

static size_t walked = 127; /* what a kernel walks, unless told otherwise */

static struct profile *make(void)
{
	static const uint32_t pids[1];
	struct profile_opts o = {.follow = follow,
				 .look = look,
				 .name = name,
				 .walked = walked,
				 .pids = pids,
				 .n_pids = 1};
	static uint32_t self;
	struct profile *p;

	memset(names, 0, sizeof(names));
	n_samples = asked = 0;
	looks_fail = 0;
	self = (uint32_t)getpid();
	o.pids = &self;
	p = profile_new(&o);
	assert_non_null(p);
	return p;
}

/* Of a single thread that sleeps there. */
static enum wait_reason reason_of(const char *stack)
{
	struct profile *p = make();
	enum wait_reason found = WAIT_REASONS;

	samples[n_samples++] = asleep(7, stack);
	assert_int_equal(profile_look(p), 0);
	assert_int_equal(profile_totals(p)->threads, 1);
	for (int i = 0; i < WAIT_REASONS; i++)
		if (profile_totals(p)->waits[i] == 1)
			found = (enum wait_reason)i;
	profile_free(p);
	return found;
}

static void test_functions_say_what_for(void **state)
{
	static const struct {
		const char *stack;
		enum wait_reason reason;
	} cases[] = {
		{"submit_bio_wait blkdev_read_iter vfs_read do_syscall_64 " ENTRY, WAIT_DISK},
		{"io_schedule folio_wait_bit filemap_read vfs_read " ENTRY, WAIT_DISK},
		/* It ends in the disk, and is for want of memory. */
		{"io_schedule folio_wait_bit do_swap_page handle_mm_fault asm_exc_page_fault",
		 WAIT_MEMORY},
		{"rwsem_down_write_slowpath ext4_file_write_iter vfs_write " ENTRY, WAIT_LOCK},
		{"mutex_lock.isra.0 fuse_file_write_iter vfs_write " ENTRY, WAIT_LOCK},
		{"mutex_lock [zfs] vfs_write " ENTRY, WAIT_LOCK},
		{"sk_stream_wait_memory tcp_sendmsg " ENTRY, WAIT_NETWORK},
		{"io_schedule folio_wait_bit nfs_file_read vfs_read " ENTRY, WAIT_NETWORK},
		{"schedule do_epoll_wait " ENTRY, WAIT_IDLE},
		{"sk_wait_data tcp_recvmsg " ENTRY, WAIT_IDLE},
		{"worker_thread kthread ret_from_fork_asm", WAIT_IDLE},
		{"do_signal_stop get_signal " ENTRY, WAIT_STOPPED},
		/* What no row has, and what is only the beginning of a name. */
		{"frobnicate_wait vfs_ioctl " ENTRY, WAIT_UNKNOWN},
		{"io_sched vfs_ioctl " ENTRY, WAIT_UNKNOWN},
		{"io_schedule_and_more vfs_ioctl " ENTRY, WAIT_UNKNOWN},
		/* It starts nowhere: the inner frames may be what is left of another. */
		{"submit_bio_wait blkdev_read_iter vfs_read", WAIT_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (reason_of(cases[i].stack) != cases[i].reason)
			fail_msg("'%s': not %d", cases[i].stack, cases[i].reason);
}

static void test_stacks_without_frames_and_too_deep(void **state)
{
	struct profile *p = make();
	struct thread_sample deep = asleep(2, "vfs_read");

	(void)state;
	samples[n_samples++] = asleep(1, "");
	for (int i = 1; i < THREAD_FRAMES; i++)
		deep.frame[i] = deep.frame[0];
	deep.n_frames = THREAD_FRAMES;
	deep.in_iowait = 1;
	samples[n_samples++] = deep;
	assert_int_equal(profile_look(p), 0);
	assert_int_equal(profile_totals(p)->waits[WAIT_UNKNOWN], 1);
	/* Its end was not looked at, and the kernel counts it as waiting for I/O. */
	assert_int_equal(profile_totals(p)->waits[WAIT_DISK], 1);
	profile_free(p);
}

static void test_stacks_that_the_kernel_is_told_to_cut(void **state)
{
	(void)state;
	assert_int_equal(reason_of("submit_bio_wait blkdev_read_iter vfs_read"), WAIT_UNKNOWN);
	walked = 3;
	assert_int_equal(reason_of("submit_bio_wait blkdev_read_iter vfs_read"), WAIT_DISK);
	assert_int_equal(reason_of("submit_bio_wait blkdev_read_iter"), WAIT_UNKNOWN);
	walked = 127;
}

static void test_futexes(void **state)
{
	static const struct {
		int64_t call;
		uint32_t op, value;
		enum wait_reason reason;
	} cases[] = {
		{SYS_futex, 128, 2, WAIT_LOCK},		       /* glibc's mutex */
		{SYS_futex, 0, 2, WAIT_LOCK},		       /* between processes */
		{SYS_futex, 128, 0x80000000U | 77, WAIT_LOCK}, /* musl's, robust ones */
		{SYS_futex, 6 | 128, 0, WAIT_LOCK},	       /* with priority inheritance */
		{SYS_futex, 13 | 128, 0, WAIT_LOCK},
		{SYS_futex, 9 | 128, 3, WAIT_LOCK}, /* read-write lock */
		{SYS_futex, 9 | 128, 0, WAIT_IDLE}, /* condition variable */
		{SYS_futex, 9 | 128 | 256, 2, WAIT_IDLE},
		{SYS_futex, 128, 0, WAIT_IDLE}, /* barrier, Go's idle threads */
		{SYS_futex, 128, 1, WAIT_IDLE},
		{SYS_read, 128, 2, WAIT_IDLE},
		{-1, 128, 2, WAIT_UNKNOWN}, /* a thread of the kernel's has no call */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *p = make();
		struct thread_sample s = asleep(3, "futex_wait_queue futex_wait do_futex " ENTRY);

		s.call = cases[i].call;
		s.arg2 = cases[i].op;
		/* The upper half of a register is whatever it was. */
		s.arg3 = 0xdead00000000ULL | cases[i].value;
		samples[n_samples++] = s;
		profile_look(p);
		if (profile_totals(p)->waits[cases[i].reason] != 1)
			fail_msg("case %zu", i);
		profile_free(p);
	}
}

static void test_threads_that_stay(void **state)
{
	struct profile *p = make();
	const struct profile_totals *t = profile_totals(p);

	(void)state;
	samples[0] = asleep(1, "submit_bio_wait vfs_read " ENTRY);
	samples[1] = (struct thread_sample){.pid = 1, .tid = 2, .state = THREAD_ON_CPU};
	samples[2] = (struct thread_sample){.pid = 1, .tid = 3, .state = THREAD_RUNNABLE};
	samples[3] = (struct thread_sample){.pid = 1, .tid = 4, .state = THREAD_STOPPED};
	n_samples = 4;
	profile_look(p);
	for (int i = 0; i < 9; i++) {
		samples[0].state = THREAD_STAYED;
		profile_look(p);
	}
	assert_int_equal(t->looks, 10);
	assert_int_equal(t->threads, 40);
	assert_int_equal(t->waits[WAIT_DISK], 10);
	assert_int_equal(t->waits[WAIT_ON_CPU], 10);
	assert_int_equal(t->waits[WAIT_READY], 10);
	assert_int_equal(t->waits[WAIT_STOPPED], 10);
	/* Each address was asked for once. */
	assert_int_equal(asked, 3);
	/* One that stays and was never seen: known to sleep, and no more. */
	samples[0].tid = 99;
	n_samples = 1;
	profile_look(p);
	assert_int_equal(t->waits[WAIT_UNKNOWN], 1);
	profile_free(p);
}

static void test_many_threads_come_and_go(void **state)
{
	struct profile *p = make();
	struct thread_sample s = asleep(1, "do_epoll_wait " ENTRY);

	(void)state;
	n_samples = 8;
	for (uint32_t i = 0; i < 5000; i++) {
		for (uint32_t k = 0; k < 8; k++) {
			samples[k] = s;
			samples[k].tid = 1 + 8 * i + k;
		}
		profile_look(p);
		for (uint32_t k = 0; k < 8; k++)
			samples[k].state = THREAD_STAYED;
		profile_look(p);
	}
	assert_int_equal(profile_totals(p)->waits[WAIT_IDLE], 80000);
	assert_int_equal(profile_totals(p)->waits[WAIT_UNKNOWN], 0);
	profile_free(p);
}

static void test_stacks_are_folded_and_counted(void **state)
{
	struct profile *p = make();
	char comm[32] = "", want[512], *got;
	FILE *f = fopen("/proc/self/comm", "re");

	(void)state;
	assert_non_null(f);
	assert_non_null(fgets(comm, sizeof(comm), f));
	fclose(f);
	comm[strcspn(comm, "\n")] = 0;
	assert_null(profile_take_stacks(p));
	samples[0] = asleep(1, "submit_bio_wait vfs_read.isra.0 " ENTRY);
	samples[1] = asleep(2, "futex_wait do_futex " ENTRY);
	samples[1].call = SYS_futex;
	samples[1].arg2 = 128;
	samples[1].arg3 = 2;
	samples[2] = asleep(3, "futex_wait do_futex " ENTRY);
	samples[2].call = SYS_futex;
	samples[3] = (struct thread_sample){.pid = 1, .tid = 4, .state = THREAD_ON_CPU};
	samples[4] = asleep(5, "vfs_read.isra.0");
	samples[5] = asleep(6, "");
	n_samples = 6;
	profile_look(p);
	for (int i = 0; i < 3; i++)
		samples[i].state = THREAD_STAYED;
	profile_look(p);
	got = profile_take_stacks(p);
	assert_non_null(got);
	snprintf(want, sizeof(want),
		 "%s;[no stack] 2\n%s;[on a processor] 2\n"
		 "%s;[starts nowhere];vfs_read.isra.0 2\n"
		 "%s;%s;do_futex;futex_wait 2\n%s;%s;do_futex;futex_wait;[lock] 2\n"
		 "%s;%s;vfs_read.isra.0;submit_bio_wait 2\n",
		 comm, comm, comm, comm, ENTRY, comm, ENTRY, comm, ENTRY);
	assert_string_equal(got, want);
	free(got);
	/* A thread that stays is in the stack it was in. */
	n_samples = 1;
	profile_look(p);
	got = profile_take_stacks(p);
	snprintf(want, sizeof(want), "%s;%s;vfs_read.isra.0;submit_bio_wait 1\n", comm, ENTRY);
	assert_string_equal(got, want);
	free(got);
	profile_free(p);
}

static void test_too_many_stacks_are_counted_together(void **state)
{
	enum { MOST = 50 };
	struct stacks *s = calloc(1, sizeof(*s));
	char text[32], *got;

	(void)state;
	assert_int_equal(stacks_init(s, MOST), 0);
	for (uint64_t i = 0; i < MOST + 7; i++) {
		snprintf(text, sizeof(text), "p;f%04d", (int)i);
		assert_false(stacks_count(s, i << 20 | 1));
		stacks_add(s, i << 20 | 1, text);
	}
	got = stacks_take(s);
	assert_non_null(strstr(got, "p;f0000 1\n"));
	assert_non_null(strstr(got, "[more stacks] 7\n"));
	free(got);
	/* What was not met for a while makes room. */
	assert_true(stacks_count(s, 1));
	got = stacks_take(s);
	assert_string_equal(got, "p;f0000 1\n");
	free(got);
	assert_false(stacks_count(s, 5ULL << 20 | 1));
	stacks_add(s, 5ULL << 20 | 1, "p;new");
	got = stacks_take(s);
	assert_string_equal(got, "p;new 1\n");
	free(got);
	stacks_release(s);
	free(s);
}

static void test_a_process_that_has_gone(void **state)
{
	static const uint32_t none = 0x3fffffff;
	struct profile_opts o = {
		.follow = follow, .look = look, .name = name, .pids = &none, .n_pids = 1};

	(void)state;
	assert_null(profile_new(&o));
	assert_int_equal(errno, ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_say_what_for),
		cmocka_unit_test(test_stacks_without_frames_and_too_deep),
		cmocka_unit_test(test_stacks_that_the_kernel_is_told_to_cut),
		cmocka_unit_test(test_futexes),
		cmocka_unit_test(test_threads_that_stay),
		cmocka_unit_test(test_many_threads_come_and_go),
		cmocka_unit_test(test_stacks_are_folded_and_counted),
		cmocka_unit_test(test_too_many_stacks_are_counted_together),
		cmocka_unit_test(test_a_process_that_has_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
