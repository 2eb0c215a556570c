// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls that a recorder never makes fail with EPERM from now on. A list of what is forbidden and not
 * of what is allowed, and an error and not the end: a probe must not die at midnight because another
 * libc, or SQLite, does the same thing by another call. What matters is on it: whatever runs, changes
 * or looks into other programs, sends to another address, gets rights anew, or reaches around Landlock
 * (modes and owners by path, which Landlock does not know; io_uring, whose operations no filter sees).
 *
 * No filter sees what lies behind a pointer. So no socket is made any more, and none of those that are
 * open can be given another address to send to: sendmsg(2), which has it behind a pointer, is forbidden.
 *
 * In the kernel's own classic BPF: it is a list of comparisons, which needs no library. The kernel
 * remembers by the call's number which are allowed whatever their arguments are (since 5.11), so that
 * this costs the others nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rights.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "which architecture do the numbers of system calls belong to?"
#endif

/* Numbers that are the same everywhere, of calls younger than the headers of Debian 12. */
#define YOUNG_fchmodat2	     452
#define YOUNG_setxattrat     463
#define YOUNG_removexattrat  466
#define YOUNG_open_tree_attr 467
#define YOUNG_file_setattr   469

static const uint16_t forbidden[] = {
	/* Other programs: to run, to look into, to signal, to slow down. */
	SYS_execve,
	SYS_execveat,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_process_madvise,
	SYS_pidfd_getfd,
	SYS_kcmp,
	SYS_kill,
	SYS_tkill,
	SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo,
	SYS_pidfd_send_signal,
	SYS_sched_setscheduler,
	SYS_sched_setparam,
	SYS_sched_setattr,
	SYS_sched_setaffinity,
	SYS_setpriority,
	SYS_ioprio_set,
	SYS_migrate_pages,
	SYS_move_pages,
#ifndef __SANITIZE_ADDRESS__ /* its leak checker stops the threads with it */
	SYS_ptrace,
#endif
#ifdef __x86_64__
	SYS_fork,
	SYS_vfork,
#endif
	/* Memory and messages that are another program's of the same user: of root's, say. */
	SYS_shmget,
	SYS_shmat,
	SYS_shmctl,
	SYS_semget,
	SYS_semop,
	SYS_semtimedop,
	SYS_semctl,
	SYS_msgget,
	SYS_msgsnd,
	SYS_msgrcv,
	SYS_msgctl,
	SYS_mq_open,
	SYS_mq_unlink,
	/* Modes and owners, which Landlock leaves alone; the length, which it does before ABI 3. */
	SYS_fchmodat,
	YOUNG_fchmodat2,
	SYS_fchownat,
	SYS_setxattr,
	SYS_lsetxattr,
	SYS_removexattr,
	SYS_lremovexattr,
	YOUNG_setxattrat,
	YOUNG_removexattrat,
	YOUNG_file_setattr,
	SYS_truncate,
	SYS_utimensat,
	/* A recorder makes files, and by open(2). */
	SYS_mkdirat,
	SYS_mknodat,
#ifdef __x86_64__
	SYS_chmod,
	SYS_chown,
	SYS_lchown,
	SYS_utime,
	SYS_utimes,
	SYS_futimesat,
	SYS_mkdir,
	SYS_mknod,
#endif
	/* Namespaces and mounts, where a user may be root of his own. */
	SYS_unshare,
	SYS_setns,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_open_tree,
	SYS_move_mount,
	SYS_fsopen,
	SYS_fsconfig,
	SYS_fsmount,
	SYS_fspick,
	SYS_mount_setattr,
	YOUNG_open_tree_attr,
	/* The kernel. */
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_kexec_file_load,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_quotactl,
	SYS_syslog,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_io_uring_setup,
	SYS_io_uring_enter,
	SYS_io_uring_register,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_personality,
#ifdef __x86_64__
	SYS_iopl,
	SYS_ioperm,
	SYS_modify_ldt,
#endif
	/* Connections: what is listened on was bound before, who is told things was connected to. */
	SYS_socket,
	SYS_socketpair,
	SYS_connect,
	SYS_bind,
	SYS_listen,
	SYS_sendmsg,
	SYS_sendmmsg,
};

/*
 * Where all that would have to be looked at is in memory: the flags of one, the mode of the other. Told
 * that there is no such call, libraries take the older one: glibc starts threads with clone(2).
 */
static const uint16_t absent[] = {SYS_clone3, SYS_openat2};

/* Maps and programs that are there may be used, and nothing may be added to them. */
static const uint32_t bpf_commands[] = {
	BPF_MAP_LOOKUP_ELEM,  BPF_MAP_UPDATE_ELEM,  BPF_MAP_DELETE_ELEM,
	BPF_MAP_GET_NEXT_KEY, BPF_PROG_TEST_RUN,    BPF_OBJ_GET_INFO_BY_FD,
	BPF_LINK_CREATE,      BPF_LINK_UPDATE,	    BPF_LINK_DETACH,
	BPF_ITER_CREATE,      BPF_MAP_LOOKUP_BATCH, BPF_MAP_LOOKUP_AND_DELETE_BATCH,
};

/* Whom a file signals, and by which signal. */
static const uint32_t owner_commands[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG};
/* The same, and what types into the terminal that it was started from. */
static const uint32_t device_commands[] = {FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX};

static const uint32_t zero = 0, all_bits = UINT32_MAX;
static const uint32_t other_user = S_ISUID | S_ISGID, fast_open = MSG_FASTOPEN;
static const uint32_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
				   CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
				   0x80 /* CLONE_NEWTIME */;
#ifndef __SANITIZE_ADDRESS__ /* its leak checker is a process */
static const uint32_t of_a_thread = CLONE_THREAD;
#endif
/* Without one of these open(2) does not look at its mode. */
#define MAKES_A_FILE (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* A half of an argument. The lower is all of it where the kernel takes an int. */
#define LOWER(arg) (2 * (arg))
#define UPPER(arg) (2 * (arg) + 1)
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the lower half of an argument comes second"
#endif

/* Calls that are allowed with some arguments and not with others; a call may have several rows. */
static const struct rule {
	uint16_t call;
	uint8_t half; /* the argument's that is looked at */
	enum { ONLY, NEVER, NO_BIT, ALL_BITS } test;
	const uint32_t *v; /* values; of the last two tests a mask */
	uint8_t n;
	uint32_t when; /* only if one of these bits is set in the half before; 0: always */
} rules[] = {
	{SYS_bpf, LOWER(0), ONLY, bpf_commands, COUNT(bpf_commands), 0},
	{SYS_prlimit64, LOWER(0), ONLY, &zero, 1, 0}, /* the own limits */
	{SYS_fcntl, LOWER(1), NEVER, owner_commands, COUNT(owner_commands), 0},
	{SYS_ioctl, LOWER(1), NEVER, device_commands, COUNT(device_commands), 0},
	{SYS_clone, LOWER(0), NO_BIT, &namespaces, 1, 0},
#ifndef __SANITIZE_ADDRESS__
	{SYS_clone, LOWER(0), ALL_BITS, &of_a_thread, 1, 0},
#endif
	/* An address is what send(2) has none of. */
	{SYS_sendto, LOWER(4), NO_BIT, &all_bits, 1, 0},
	{SYS_sendto, UPPER(4), NO_BIT, &all_bits, 1, 0},
	{SYS_sendto, LOWER(3), NO_BIT, &fast_open, 1, 0},
	/* Whoever runs a file becomes the user it belongs to. */
	{SYS_fchmod, LOWER(1), NO_BIT, &other_user, 1, 0},
	{SYS_openat, LOWER(3), NO_BIT, &other_user, 1, MAKES_A_FILE},
#ifdef __x86_64__
	{SYS_open, LOWER(2), NO_BIT, &other_user, 1, MAKES_A_FILE},
	{SYS_creat, LOWER(1), NO_BIT, &other_user, 1, 0},
#endif
};

#define VALUES (COUNT(bpf_commands) + COUNT(owner_commands) + COUNT(device_commands))
#define MOST   (2 * (COUNT(forbidden) + COUNT(absent) + VALUES) + 8 * (COUNT(rules) + 1) + 16)

struct filter {
	struct sock_filter at[MOST];
	unsigned short n;
};

static void add(struct filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	f->at[f->n++] = (struct sock_filter){code, yes, no, k};
}

static void load(struct filter *f, size_t offset)
{
	add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void load_number(struct filter *f)
{
	load(f, offsetof(struct seccomp_data, nr));
}

static void load_half(struct filter *f, int half)
{
	load(f, offsetof(struct seccomp_data, args) + 4 * (size_t)half);
}

static void give(struct filter *f, uint32_t what)
{
	add(f, BPF_RET | BPF_K, what, 0, 0);
}

static void give_error(struct filter *f, int err)
{
	give(f, SECCOMP_RET_ERRNO | (uint32_t)err);
}

static void forbid(struct filter *f, const uint16_t *calls, size_t n, int err)
{
	for (size_t i = 0; i < n; i++) {
		add(f, BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		give_error(f, err);
	}
}

/* How many instructions keep() will add for the test itself. */
static uint8_t length_of(const struct rule *r)
{
	return (uint8_t)(r->test == ONLY ? r->n + 1 : 2 * r->n);
}

/* A call that breaks the rule ends here; the others go on, with the call's number loaded. */
static void keep(struct filter *f, const struct rule *r)
{
	uint8_t rest = (uint8_t)(1 + length_of(r)); /* with the loading of the half */

	add(f, BPF_JMP | BPF_JEQ | BPF_K, r->call, 0, (uint8_t)(rest + (r->when ? 2 : 0) + 1));
	if (r->when) {
		load_half(f, r->half - 2);
		add(f, BPF_JMP | BPF_JSET | BPF_K, r->when, 0, rest);
	}
	load_half(f, r->half);
	for (uint8_t i = 0; i < r->n; i++) {
		if (r->test == ONLY)
			add(f, BPF_JMP | BPF_JEQ | BPF_K, r->v[i], (uint8_t)(r->n - i), 0);
		else if (r->test == NEVER)
			add(f, BPF_JMP | BPF_JEQ | BPF_K, r->v[i], 0, 1);
		else if (r->test == NO_BIT)
			add(f, BPF_JMP | BPF_JSET | BPF_K, r->v[i], 0, 1);
		else
			add(f, BPF_JMP | BPF_JSET | BPF_K, r->v[i], 1, 0);
		if (r->test != ONLY)
			give_error(f, EPERM);
	}
	if (r->test == ONLY)
		give_error(f, EPERM);
	load_number(f);
}

static void build(struct filter *f)
{
	const uint32_t own = (uint32_t)getpid();
	const struct rule signals = {SYS_tgkill, LOWER(0), ONLY, &own, 1, 0};

	f->n = 0;
	/* Numbers of another architecture or ABI mean other calls. */
	load(f, offsetof(struct seccomp_data, arch));
	add(f, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	give_error(f, ENOSYS);
	load_number(f);
#ifdef __x86_64__
	add(f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000 /* x32 */, 0, 1);
	give_error(f, ENOSYS);
#endif
	forbid(f, forbidden, COUNT(forbidden), EPERM);
	forbid(f, absent, COUNT(absent), ENOSYS);
	for (size_t i = 0; i < COUNT(rules); i++)
		keep(f, &rules[i]);
	keep(f, &signals);
	give(f, SECCOMP_RET_ALLOW);
}

int rights_filter_calls(void)
{
	struct filter f;
	struct sock_fprog program;

	build(&f);
	program = (struct sock_fprog){f.n, f.at};
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) ? -errno : 0;
}

bool rights_calls_filtered(void)
{
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
}
