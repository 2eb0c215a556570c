// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a program can still do once it has ended its rights as the probe does (userspace/probe/rights/rights.h):
 *
 *   confined try FOLDER VICTIM   ends them with FOLDER to write in, and tries things; a line for each,
 *                                "WHAT ok" or "WHAT ERRNO". VICTIM: a file outside that the user owns
 *   confined without COMMAND…    runs it as on a kernel without Landlock; by root
 *   confined exec                ends them without what forbids execve(2), and executes itself; the
 *                                lines of /proc/self/status before and after
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "userspace/probe/rights/rights.h"
#include "userspace/common/safe_open.h"
#include "userspace/series/series.h"
#include "userspace/probe/sources/targets.h"

/* The filter, which `exec` leaves out: the Makefile has the linker come here. */
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

static void *nothing(void *arg)
{
	return arg;
}

static void try_calls(void)
{
	char *argv[] = {(char *)"true", NULL};
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(9)};
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
	int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), err;
	pthread_t t;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	tell("execve", execv("/bin/true", argv));
	tell("socket-tcp", tcp);
	tell("connect", connect(tcp, (const struct sockaddr *)&a, sizeof(a)));
	tell("bind", bind(tcp, (const struct sockaddr *)&a, sizeof(a)));
	tell("socket-packet", socket(AF_PACKET, SOCK_RAW, 0));
	tell("socket-netlink", socket(AF_NETLINK, SOCK_DGRAM, 0));
	tell("bpf-map", syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map)));
	tell("unshare", unshare(CLONE_NEWUSER));
	tell("clone-user", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
	tell("kill", kill(getppid(), 0));
	tell("io-uring", syscall(SYS_io_uring_setup, 1, NULL));
	err = pthread_create(&t, NULL, nothing, NULL);
	if (!err)
		pthread_join(t, NULL);
	errno = err;
	tell("thread", -err);
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
	if (fd < 0 || rights_prepare(&r, fd, -1, why) || rights_end(&r, why)) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	printf("landlock %d\n", r.landlock);
	print_status("after");
	try_files(folder, victim);
	try_calls();
	try_series(folder);
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
	if (argc == 4 && !strcmp(argv[1], "try"))
		return try(argv[2], argv[3]);
	if (argc == 2 && !strcmp(argv[1], "exec"))
		return execute(argv[0]);
	if (argc == 2 && !strcmp(argv[1], "status")) {
		print_status("executed");
		return 0;
	}
	return 2;
}
