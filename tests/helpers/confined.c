// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a program can still do once it has ended its rights as the probe does (userspace/probe/rights/rights.h):
 *
 *   confined try FOLDER VICTIM   ends them with FOLDER to write in, and tries things; a line for each,
 *                                "WHAT ok" or "WHAT ERRNO". VICTIM: a file outside that the user owns
 *   confined open FOLDER VICTIM  the same without the filter of calls: what it alone refuses can be done
 *   confined without COMMAND…    runs it as on a kernel without Landlock; by root
 *   confined exec                ends them without what forbids execve(2), and executes itself; the
 *                                lines of /proc/self/status before and after
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "userspace/probe/rights/rights.h"
#include "userspace/common/safe_open.h"
#include "userspace/series/series.h"
#include "userspace/probe/sources/targets.h"

/* The filter, which `open` and `exec` leave out: the Makefile has the linker come here. */
int __real_rights_filter_calls(void);
int __wrap_rights_filter_calls(void);
static bool unfiltered;

int __wrap_rights_filter_calls(void)
{
	return unfiltered ? 0 : __real_rights_filter_calls();
}

static void tell(const char *what, long got)
{
	printf("%s %s\n", what, got < 0 ? strerrorname_np(errno) : "ok");
}

static void tell_open(const char *what, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	tell(what, fd);
	if (fd >= 0)
		close(fd);
}

static void print_status(const char *when)
{
	static const char *const keys[] = {
		"CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:", "NoNewPrivs:", "Seccomp:"};
	FILE *f = fopen("/proc/thread-self/status", "re");
	char line[256];

	printf("%s", when);
	while (f && fgets(line, sizeof(line), f)) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
			if (!strncmp(line, keys[i], strlen(keys[i])))
				printf(" %s", strtok(line + strlen(keys[i]), " \t\n"));
	}
	printf(" %d\n", prctl(PR_GET_SECUREBITS));
	if (f)
		fclose(f);
}

static void try_files(const char *folder, const char *victim)
{
	char path[4096], beside[4096];

	tell_open("read-proc", "/proc/1/stat", O_RDONLY);
	tell_open("read-sys", "/sys/kernel", O_RDONLY | O_DIRECTORY);
	tell_open("read-shadow", "/etc/shadow", O_RDONLY);
	tell_open("read-root-of-1", "/proc/1/root/etc/shadow", O_RDONLY);
	tell_open("read-victim", victim, O_RDONLY);
	tell_open("write-victim", victim, O_WRONLY);
	tell_open("write-proc", "/proc/sys/kernel/core_pattern", O_WRONLY);
	snprintf(beside, sizeof(beside), "%s.beside", victim);
	tell_open("create-beside", beside, O_WRONLY | O_CREAT);
	tell("truncate-victim", truncate(victim, 0));
	tell("chmod-victim", chmod(victim, 0666));
	tell("chown-victim", chown(victim, 1, 1));
	tell("unlink-victim", unlink(victim));
	snprintf(path, sizeof(path), "%s/inside", folder);
	tell_open("create-inside", path, O_RDWR | O_CREAT);
	tell("move-out", rename(path, beside));
	tell("link-out", link(path, beside));
	snprintf(beside, sizeof(beside), "%s/moved", folder);
	tell("move-inside", rename(path, beside));
	tell_open("read-inside", beside, O_RDONLY);
	tell("remove-inside", unlink(beside));
	tell("symlink-inside", symlink(victim, path));
	tell("fifo-inside", mkfifo(path, 0600));
	tell("folder-inside", mkdir(path, 0700));
}

/* ---- sockets ---- */

/* What a program that is taken over finds open: none of it leads to another program but `to_manager`. */
static struct {
	int tcp, udp, to_manager;
	struct sockaddr_in listener, receiver;
	struct sockaddr_un named;
} kept;

static int bound(int type, struct sockaddr_in *a)
{
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(*a);

	*a = (struct sockaddr_in){.sin_family = AF_INET};
	a->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (const struct sockaddr *)a, len) ||
	    getsockname(fd, (struct sockaddr *)a, &len))
		perror("bind");
	return fd;
}

static void keep_sockets(const char *victim)
{
	struct sockaddr_un manager = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(manager);
	int tcp = bound(SOCK_STREAM, &kept.listener), queue = 5,
	    named = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0),
	    heard = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	bound(SOCK_DGRAM, &kept.receiver);
	kept.named.sun_family = AF_UNIX;
	snprintf(kept.named.sun_path, sizeof(kept.named.sun_path), "%.90s.socket", victim);
	kept.tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	kept.udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	kept.to_manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	/* The manager's is given a name by the kernel. */
	if (setsockopt(tcp, IPPROTO_TCP, TCP_FASTOPEN, &queue, sizeof(queue)) || listen(tcp, 5) ||
	    bind(named, (const struct sockaddr *)&kept.named, sizeof(kept.named)) ||
	    bind(heard, (const struct sockaddr *)&manager, sizeof(sa_family_t)) ||
	    getsockname(heard, (struct sockaddr *)&manager, &len) ||
	    connect(kept.to_manager, (const struct sockaddr *)&manager, len))
		perror("sockets");
}

static void try_messages(void)
{
	struct iovec text = {(char *)"x", 1};
	struct msghdr to_receiver = {.msg_name = &kept.receiver,
				     .msg_namelen = sizeof(kept.receiver),
				     .msg_iov = &text,
				     .msg_iovlen = 1},
		      to_named = {.msg_name = &kept.named,
				  .msg_namelen = sizeof(kept.named),
				  .msg_iov = &text,
				  .msg_iovlen = 1},
		      to_listener = {.msg_name = &kept.listener,
				     .msg_namelen = sizeof(kept.listener),
				     .msg_iov = &text,
				     .msg_iovlen = 1};
	struct mmsghdr many = {.msg_hdr = to_receiver};

	/* The unconnected one is not connected by the first where that is refused. */
	tell("fast-open", sendto(kept.tcp, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL,
				 (const struct sockaddr *)&kept.listener, sizeof(kept.listener)));
	tell("fast-open-nowhere", sendto(kept.tcp, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, NULL, 0));
	tell("fast-open-sendmsg", sendmsg(kept.tcp, &to_listener, MSG_FASTOPEN | MSG_NOSIGNAL));
	tell("udp-sendto", sendto(kept.udp, "x", 1, 0, (const struct sockaddr *)&kept.receiver,
				  sizeof(kept.receiver)));
	tell("udp-sendmsg", sendmsg(kept.udp, &to_receiver, 0));
	tell("udp-sendmmsg", sendmmsg(kept.udp, &many, 1, 0));
	tell("unix-sendto", sendto(kept.to_manager, "x", 1, 0, (const struct sockaddr *)&kept.named,
				   sizeof(kept.named)));
	tell("unix-sendmsg", sendmsg(kept.to_manager, &to_named, 0));
	tell("unix-send", send(kept.to_manager, "x", 1, MSG_NOSIGNAL));
	tell("unix-write", write(kept.to_manager, "x", 1));
}

static void try_sockets(void)
{
	const struct sockaddr_in *a = &kept.listener;
	int two[2], fresh = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	tell("socket-tcp", fresh);
	tell("socket-udp", socket(AF_INET, SOCK_DGRAM, 0));
	tell("socket-unix", socket(AF_UNIX, SOCK_DGRAM, 0));
	tell("socket-netlink", socket(AF_NETLINK, SOCK_DGRAM, 0));
	tell("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, two));
	try_messages();
	tell("connect", connect(kept.udp, (const struct sockaddr *)&kept.receiver, sizeof(*a)));
	tell("bind",
	     bind(kept.to_manager, (const struct sockaddr *)&kept.named, sizeof(sa_family_t)));
	tell("listen", listen(kept.udp, 1));
}

/* ---- files that run as the user they belong to ---- */

/* By the numbers of old, where the architecture has them: no libc calls them. */
static long old_open(const char *path, int flags, mode_t mode)
{
#ifdef SYS_open
	return syscall(SYS_open, path, flags, mode);
#else
	return open(path, flags, mode);
#endif
}

static long old_creat(const char *path, mode_t mode)
{
#ifdef SYS_creat
	return syscall(SYS_creat, path, mode);
#else
	return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
#endif
}

static void try_modes(const char *folder)
{
	struct open_how how = {.flags = O_CREAT | O_WRONLY, .mode = 04755};
	char path[4096];
	int fd;

	/* One name for all: each is to be made anew. */
	snprintf(path, sizeof(path), "%s/other-user", folder);
#define TELL_NEW(what, call) (tell(what, call), unlink(path))
	TELL_NEW("setuid-openat", openat(AT_FDCWD, path, O_CREAT | O_WRONLY, 04755));
	TELL_NEW("setgid-openat", openat(AT_FDCWD, path, O_CREAT | O_WRONLY, 02755));
	TELL_NEW("setuid-open", old_open(path, O_CREAT | O_WRONLY, 04755));
	TELL_NEW("setuid-creat", old_creat(path, 04755));
	TELL_NEW("setuid-unnamed", openat(AT_FDCWD, folder, O_TMPFILE | O_WRONLY, 04755));
	TELL_NEW("setuid-mknod", mknod(path, S_IFREG | 04755, 0));
	TELL_NEW("setuid-openat2", syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how)));
	tell("mkdir", mkdir(path, 02755));
	rmdir(path);
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	tell("setuid-fchmod", fchmod(fd, 04755));
	tell("setgid-fchmod", fchmod(fd, 02755));
	tell("setuid-chmod", chmod(path, 04755));
	tell("setuid-fchmodat2", syscall(452, AT_FDCWD, path, 04755, 0));
	tell("fchmod", fchmod(fd, 0640));
	tell("mode-of-none-made", syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 06000));
	close(fd);
	unlink(path);
}

/* ---- other programs ---- */

static void *nothing(void *arg)
{
	return arg;
}

static long forked(pid_t pid)
{
	if (!pid)
		_exit(0);
	return pid < 0 ? -1 : waitpid(pid, NULL, 0);
}

static void try_others(void)
{
	pid_t parent = getppid();
	struct rlimit limit;
	int ends[2], memory;

	tell("fork", forked(fork()));
	tell("fork-clone", forked((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)));
	tell("kill", kill(parent, 0));
	tell("tgkill", syscall(SYS_tgkill, parent, parent, 0));
	tell("tgkill-own", syscall(SYS_tgkill, getpid(), gettid(), 0));
	tell("prlimit", prlimit(parent, RLIMIT_NOFILE, NULL, &limit));
	tell("prlimit-own", prlimit(0, RLIMIT_NOFILE, NULL, &limit));
	memory = shmget(IPC_PRIVATE, 4096, 0600);
	tell("shared-memory", memory);
	if (memory >= 0)
		shmctl(memory, IPC_RMID, NULL);
	if (pipe(ends))
		return;
	tell("file-owner", fcntl(ends[0], F_SETOWN, parent));
	tell("file-signal", fcntl(ends[0], F_SETSIG, SIGKILL));
	tell("file-flags", fcntl(ends[0], F_SETFL, O_NONBLOCK));
	tell("socket-owner", ioctl(kept.udp, FIOSETOWN, &parent));
	/* The kernel takes no more than the lower half of the number. */
	tell("terminal", syscall(SYS_ioctl, ends[0], TIOCSTI | 1ULL << 32, "x"));
}

static void try_calls(void)
{
	char *argv[] = {(char *)"true", NULL};
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
	pthread_t t;
	int err;

	if (!unfiltered)
		tell("execve", execv("/bin/true", argv));
	tell("socket-packet", socket(AF_PACKET, SOCK_RAW, 0));
	tell("bpf-map", syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map)));
	tell("io-uring", syscall(SYS_io_uring_setup, 1, NULL));
	err = pthread_create(&t, NULL, nothing, NULL);
	if (!err)
		pthread_join(t, NULL);
	errno = err;
	tell("thread", -err);
}

/* Last: whom the first succeeds is another user. */
static void try_namespaces(void)
{
	tell("clone-user", forked((pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)));
	tell("unshare", unshare(CLONE_NEWUSER));
}

/* A second of a day; the day before goes when the next begins, for one is kept. */
static int append(struct series_writer *w, struct second *s, int64_t day)
{
	s->seq++;
	s->wall_ns = (day * 86400 + (int64_t)s->seq) * 1000000000;
	s->mono_ns += 1000000000;
	return series_writer_append(w, s);
}

static void try_series(const char *folder)
{
	struct series_writer_opts o = {
		.dir = folder, .host = "confined", .interval_ms = 1000, .keep_days = 1};
	struct series_writer *w;
	struct second s;
	int err;

	second_init(&s);
	s.interval_s = 1;
	err = series_writer_new(&w, &o);
	for (int day = 20000; !err && day < 20003; day++) {
		err = append(w, &s, day);
		err = err ? err : append(w, &s, day);
	}
	series_writer_free(w);
	second_release(&s);
	printf("series %s\n", err ? series_error() : "ok");
}

static int try(const char *folder, const char *victim)
{
	struct rights r = {.ruleset = -1};
	char why[SAFE_WHY_LEN];
	int fd = safe_make_folder(folder, true, why);

	print_status("before");
	keep_sockets(victim);
	if (fd < 0 || rights_prepare(&r, fd, -1, why) || rights_end(&r, why)) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	printf("landlock %d\n", r.landlock);
	print_status("after");
	try_files(folder, victim);
	try_modes(folder);
	try_calls();
	try_sockets();
	try_others();
	try_series(folder);
	try_namespaces();
	return 0;
}

static int execute(const char *self)
{
	struct rights r = {.ruleset = -1};
	char why[WHY_LEN];

	print_status("before");
	unfiltered = true;
	if (rights_end(&r, why)) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	print_status("after");
	fflush(stdout);
	execl(self, self, "status", (char *)NULL);
	perror(self);
	return 1;
}

/* The call is not there: its number is the same everywhere, and low enough for no other ABI's. */
static int without(char **command)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
		perror("seccomp");
	else
		execv(command[0], command);
	perror(command[0]);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "without"))
		return without(argv + 2);
	unfiltered = argc > 1 && !strcmp(argv[1], "open");
	if (argc == 4 && (unfiltered || !strcmp(argv[1], "try")))
		return try(argv[2], argv[3]);
	if (argc == 2 && !strcmp(argv[1], "exec"))
		return execute(argv[0]);
	if (argc == 2 && !strcmp(argv[1], "status")) {
		print_status("executed");
		return 0;
	}
	return 2;
}
