// SPDX-License-Identifier: BSD-2-Clause
/* Resolves the selection options, each with its own message when it names nothing. */
#include "commands.h"
#include "reading.h"

#include <string.h>

static int resolve_disks(struct selection *s, const struct string_list *names)
{
	char why[WHY_LEN];
	int n;

	if (names->n > MAX_DISKS) {
		fail("at most %d disks can be watched at once", MAX_DISKS);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < names->n; i++) {
		if (disk_open(&s->disks[s->n_disks], names->at[i], why)) {
			fail("%s", why);
			return EXIT_FAILED;
		}
		for (size_t k = 0; k < s->n_disks; k++) {
			if (s->disks[k].dev == s->disks[s->n_disks].dev) {
				fail("disk '%s' is given twice", s->disks[k].name);
				disk_close(&s->disks[s->n_disks]);
				return EXIT_USAGE;
			}
		}
		s->n_disks++;
	}
	if (names->n)
		return 0;
	n = disk_find_all(s->disks, MAX_DISKS);
	if (n < 0) {
		fail("cannot list '/sys/block': %s", strerror(-n));
		return EXIT_FAILED;
	}
	if (n > MAX_DISKS) {
		warn("%d disks, and only %d can be watched at once: choose with --disk", n,
		     MAX_DISKS);
		n = MAX_DISKS;
	}
	s->n_disks = (size_t)n;
	return 0;
}

static int resolve_cgroups(struct selection *s, const struct string_list *paths)
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

static int resolve_ports(struct selection *s, const struct string_list *ports)
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

static int resolve_attach(struct selection *s, const char *how)
{
	static const char *const names[] = {"auto", "tp_btf", "raw_tp"};

	s->attach = ATTACH_AUTO;
	for (int i = 0; how && i < 3; i++) {
		if (!strcmp(how, names[i])) {
			s->attach = (enum attach_mode)i;
			return 0;
		}
	}
	if (!how)
		return 0;
	fail("'--attach %s': auto, tp_btf or raw_tp is needed", how);
	return EXIT_USAGE;
}

int selection_resolve(struct selection *s, const struct selection_opts *o)
{
	char why[WHY_LEN];
	int status;

	memset(s, 0, sizeof(*s));
	s->netns.fd = -1;
	status = resolve_attach(s, o->attach);
	status = status ? status : resolve_ports(s, &o->ports);
	if (!status && o->netdevs.n > MAX_NETDEVS) {
		fail("at most %d interfaces can be given", MAX_NETDEVS);
		status = EXIT_USAGE;
	}
	status = status ? status : resolve_disks(s, &o->disks);
	status = status ? status : resolve_cgroups(s, &o->cgroups);
	if (!status && netns_open(&s->netns, o->netns, why)) {
		fail("%s", why);
		status = EXIT_FAILED;
	}
	return status;
}

void selection_release(struct selection *s, struct selection_opts *o)
{
	for (size_t i = 0; i < s->n_disks; i++)
		disk_close(&s->disks[i]);
	netns_close(&s->netns);
	string_list_release(&o->disks);
	string_list_release(&o->cgroups);
	string_list_release(&o->netdevs);
	string_list_release(&o->ports);
}

void selection_probe_opts(const struct selection *s, struct probe_opts *out)
{
	*out = (struct probe_opts){
		.disks = s->disks,
		.n_disks = s->n_disks,
		.cgroups = s->cgroups,
		.n_cgroups = s->n_cgroups,
		.netns = &s->netns,
		.ports = s->ports,
		.n_ports = s->n_ports,
		.attach = s->attach,
	};
}
