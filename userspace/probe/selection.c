// SPDX-License-Identifier: BSD-2-Clause
/* Resolves the selection options, each with its own message when it names nothing. */
#include "probe_commands.h"
#include "userspace/probe/sources/reading.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first ones have a row each, those beyond share one. */
static int add_disk(struct selection *s, struct disk *d)
{
	for (size_t k = 0; k < s->n_disks; k++) {
		if (s->disks[k].dev == d->dev) {
			fail("disk '%s' is given twice", d->name);
			disk_close(d);
			return EXIT_USAGE;
		}
	}
	if (s->n_disks < MAX_DISKS) {
		s->disks[s->n_disks++] = *d;
		return 0;
	}
	if (s->n_others < MAX_OTHERS)
		s->others[s->n_others] = d->dev;
	s->n_others++;
	disk_close(d);
	return 0;
}

static int add_found_disk(void *arg, struct disk *d)
{
	return add_disk(arg, d);
}

int selection_resolve_disks(struct selection *s, const struct string_list *names)
{
	char why[WHY_LEN];
	struct disk d;
	int status = 0;

	for (size_t i = 0; !status && i < names->n; i++) {
		if (disk_open(&d, names->at[i], why)) {
			fail("%s", why);
			return EXIT_FAILED;
		}
		status = add_disk(s, &d);
	}
	s->every_disk = !names->n;
	if (s->every_disk) {
		int err = disk_find_all(add_found_disk, s);

		if (err < 0) {
			fail("cannot list '/sys/block': %s", strerror(-err));
			return EXIT_FAILED;
		}
		status = err;
	}
	if (s->n_others)
		warn("%zu disks: the first %d have a row each, %zu are summed up as '(other)'%s",
		     s->n_disks + s->n_others, MAX_DISKS,
		     s->n_others < MAX_OTHERS ? s->n_others : MAX_OTHERS,
		     s->n_others > MAX_OTHERS ? ", the rest is left out" : "");
	if (s->n_others > MAX_OTHERS)
		s->n_others = MAX_OTHERS;
	return status;
}

int selection_resolve_cgroups(struct selection *s, const struct string_list *paths)
{
	char why[WHY_LEN];

	if (paths->n > MAX_CGROUPS) {
		fail("at most %d cgroups can be given", MAX_CGROUPS);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < paths->n; i++) {
		if (cgroup_ref_open(&s->cgroups[i], paths->at[i], why)) {
			fail("%s", why);
			return EXIT_FAILED;
		}
		s->n_cgroups++;
	}
	return 0;
}

int selection_resolve_ports(struct selection *s, const struct string_list *ports)
{
	unsigned int port;

	if (ports->n > MAX_PORTS) {
		fail("at most %d ports can be given", MAX_PORTS);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < ports->n; i++) {
		if (parse_uint(ports->at[i], 1, 65535, &port)) {
			fail("'--port %s': a number from 1 to 65535 is needed", ports->at[i]);
			return EXIT_USAGE;
		}
		s->ports[s->n_ports++] = (uint16_t)port;
	}
	return 0;
}

/* Not by a signal: a recorder that has ended its rights may send none. */
static bool is_there(unsigned int pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != ESRCH;
}

int selection_resolve_pids(struct selection *s, const struct string_list *pids)
{
	unsigned int pid;

	if (pids->n > MAX_PIDS) {
		fail("at most %d processes can be given", MAX_PIDS);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < pids->n; i++) {
		if (parse_uint(pids->at[i], 1, 1U << 30, &pid)) {
			fail("'--pid %s' is not the number of a process", pids->at[i]);
			return EXIT_USAGE;
		}
		if (!is_there(pid)) {
			fail("'--pid %u': no such process", pid);
			return EXIT_FAILED;
		}
		for (size_t k = 0; k < s->n_pids; k++) {
			if (s->pids[k] == pid) {
				fail("process %u is given twice", pid);
				return EXIT_USAGE;
			}
		}
		s->pids[s->n_pids++] = pid;
	}
	return 0;
}

/* One of the words of a placeholder with bars ("auto|bpf|proc"), by its place; -1 with a message. */
static int resolve_word(const char *option, const char *words, const char *given)
{
	size_t len = given ? strlen(given) : 0;
	int place = 0;

	if (!given)
		return 0;
	for (const char *w = words; w; w = strchr(w, '|'), place++) {
		w += *w == '|';
		if (len && !strncmp(w, given, len) && (w[len] == '|' || !w[len]))
			return place;
	}
	fail("'--%s %s': %s is needed", option, given, words);
	return -1;
}

void selection_init(struct selection *s)
{
	memset(s, 0, sizeof(*s));
	for (int i = 0; i < MAX_DISKS; i++)
		s->disks[i].stat_fd = -1;
	s->netns.fd = -1;
}

int selection_resolve(struct selection *s, const struct selection_opts *o)
{
	char why[WHY_LEN];
	int status, attach, source;

	selection_init(s);
	attach = resolve_word("attach", "auto|tp_btf|raw_tp", o->attach);
	source = resolve_word("source", "auto|bpf|proc", o->source);
	if (attach < 0 || source < 0)
		return EXIT_USAGE;
	s->attach = (enum attach_mode)attach;
	s->source = (enum source_mode)source;
	s->no_sched = o->no_sched;
	s->no_processes = o->no_processes;
	s->no_profile = o->no_profile;
	s->user_stacks = o->user_stacks;
	if (o->user_stacks && (o->no_profile || !(o->pids.n || o->cgroups.n))) {
		fail(o->no_profile
			     ? "'--user-stacks' and '--no-profile' exclude each other"
			     : "'--user-stacks' needs the server's processes: give '--pid' or "
			       "'--cgroup'");
		return EXIT_USAGE;
	}
	status = selection_resolve_ports(s, &o->ports);
	status = status ? status : selection_resolve_pids(s, &o->pids);
	if (!status && o->netdevs.n > MAX_NETDEVS) {
		fail("at most %d interfaces can be given", MAX_NETDEVS);
		status = EXIT_USAGE;
	}
	status = status ? status : selection_resolve_disks(s, &o->disks);
	status = status ? status : selection_resolve_cgroups(s, &o->cgroups);
	if (!status && netns_open(&s->netns, o->netns, why)) {
		fail("%s", why);
		status = EXIT_FAILED;
	}
	return status;
}

struct finding {
	const struct selection *s;
	struct disk *found;
	size_t n, max;
};

static int add_new_disk(void *arg, struct disk *d)
{
	struct finding *f = arg;
	bool known = f->n == f->max;

	for (size_t i = 0; i < f->s->n_disks; i++)
		known |= !strcmp(f->s->disks[i].name, d->name);
	if (known)
		disk_close(d);
	else
		f->found[f->n++] = *d;
	return 0;
}

size_t selection_new_disks(const struct selection *s, struct disk *found, size_t max)
{
	struct finding f = {s, found, 0, max};

	if (s->every_disk && !s->n_others)
		disk_find_all(add_new_disk, &f);
	return f.n;
}

void selection_release(struct selection *s)
{
	for (size_t i = 0; i < s->n_disks; i++)
		disk_close(&s->disks[i]);
	netns_close(&s->netns);
}

void selection_opts_release(struct selection_opts *o)
{
	struct string_list *lists[] = {&o->disks, &o->cgroups, &o->netdevs, &o->ports, &o->pids};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		string_list_release(lists[i]);
}

void selection_probe_opts(const struct selection *s, struct probe_opts *out)
{
	size_t slots = s->n_disks + (s->every_disk ? SPARE_DISKS : SPARE_NAMED);

	*out = (struct probe_opts){
		.disk_slots = slots < MAX_DISKS ? slots : MAX_DISKS,
		.cgroups = s->cgroups,
		.n_cgroups = s->n_cgroups,
		.netns = &s->netns,
		.ports = s->ports,
		.n_ports = s->n_ports,
		.pids = s->pids,
		.n_pids = s->n_pids,
		.connections = netns_connections(&s->netns),
		.attach = s->attach,
		.no_sched = s->no_sched,
		.no_processes = s->no_processes,
		.no_profile = s->no_profile,
		.user_stacks = s->user_stacks,
	};
}
