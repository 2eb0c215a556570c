// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls that a recorder never makes fail with EPERM from now on. A list of what is forbidden and not
 * of what is allowed, and an error and not the end: a probe must not die at midnight because another
 * libc, or SQLite, does the same thing by another call. What matters is on it: whatever runs, changes
 * or looks into other programs, gets rights anew, or reaches around Landlock (modes and owners by
 * path, which Landlock does not know; io_uring, whose operations no filter sees).
 *
 * In the kernel's own classic BPF: it is a list of comparisons, which needs no library. The kernel
 * remembers by the call's number which are allowed whatever their arguments are (since 5.11), so that
 * this costs the others nothing.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "rights.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "which architecture do the numbers of system calls belong to?"
#endif

/* Numbers that are the same everywhere, of calls younger than the headers of Debian 12. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

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
	/* Modes and owners, which Landlock leaves alone; the length, which it does before ABI 3. */
	SYS_fchmodat,
	SYS_fchmodat2,
	SYS_fchownat,
	SYS_setxattr,
	SYS_lsetxattr,
	SYS_removexattr,
	SYS_lremovexattr,
	SYS_truncate,
	SYS_utimensat,
#ifdef __x86_64__
	SYS_chmod,
	SYS_chown,
	SYS_lchown,
	SYS_utime,
	SYS_utimes,
	SYS_futimesat,
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
	/* Connections: what is listened on was bound before. */
	SYS_connect,
	SYS_bind,
	SYS_listen,
};

/* Maps and programs that are there may be used, and nothing may be added to them. */
static const uint16_t bpf_commands[] = {
	BPF_MAP_LOOKUP_ELEM,  BPF_MAP_UPDATE_ELEM,  BPF_MAP_DELETE_ELEM,
	BPF_MAP_GET_NEXT_KEY, BPF_PROG_TEST_RUN,    BPF_OBJ_GET_INFO_BY_FD,
	BPF_LINK_CREATE,      BPF_LINK_UPDATE,	    BPF_LINK_DETACH,
	BPF_ITER_CREATE,      BPF_MAP_LOOKUP_BATCH, BPF_MAP_LOOKUP_AND_DELETE_BATCH,
};

/* The sockets of sources and sinks, to be opened only. */
static const uint16_t families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

#define NAMESPACES                                                                     \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	 CLONE_NEWPID | CLONE_NEWNET | 0x80 /* CLONE_NEWTIME */)

#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define MOST	 (2 * (COUNT(forbidden) + COUNT(bpf_commands) + COUNT(families)) + 32)

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

/* An argument's lower half, which is all of it where the kernel takes an int. */
static void load_argument(struct filter *f, int i)
{
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the lower half of an argument comes second"
#endif
	load(f, offsetof(struct seccomp_data, args) + 8 * (size_t)i);
}

static void give(struct filter *f, uint32_t what)
{
	add(f, BPF_RET | BPF_K, what, 0, 0);
}

static void give_error(struct filter *f, int err)
{
	give(f, SECCOMP_RET_ERRNO | (uint32_t)err);
}

/* If it is `call`, nothing but these values of its first argument. */
static void allow_only(struct filter *f, uint32_t call, const uint16_t *v, size_t n, int err)
{
	add(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, (uint8_t)(2 * n + 2));
	load_argument(f, 0);
	for (size_t i = 0; i < n; i++) {
		add(f, BPF_JMP | BPF_JEQ | BPF_K, v[i], 0, 1);
		give(f, SECCOMP_RET_ALLOW);
	}
	give_error(f, err);
}

static void build(struct filter *f)
{
	f->n = 0;
	/* Numbers of another architecture or ABI mean other calls. */
	load(f, offsetof(struct seccomp_data, arch));
	add(f, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	give_error(f, ENOSYS);
	load(f, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
	add(f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000 /* x32 */, 0, 1);
	give_error(f, ENOSYS);
#endif
	for (size_t i = 0; i < COUNT(forbidden); i++) {
		add(f, BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], 0, 1);
		give_error(f, EPERM);
	}
	/* Its flags are in memory, where no filter looks; told that there is no such call, glibc
	 * starts threads with clone(2). */
	add(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
	give_error(f, ENOSYS);
	add(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
	load_argument(f, 0);
	add(f, BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1);
	give_error(f, EPERM);
	give(f, SECCOMP_RET_ALLOW);
	allow_only(f, SYS_bpf, bpf_commands, COUNT(bpf_commands), EPERM);
	allow_only(f, SYS_socket, families, COUNT(families), EAFNOSUPPORT);
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
