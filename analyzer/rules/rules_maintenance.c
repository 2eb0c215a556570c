// SPDX-License-Identifier: BSD-2-Clause
/* Maintenance by the names of those who do it: a rebuild or a scrub is wanted, and no fault. */
#include "rules_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/*
 * '*' at the end: any rest; "md#_": a number. Names are those of the kernel's threads (cut to 15
 * characters, as the kernel cuts them) and of the programs. Backups are not here: whoever reads all of
 * a disk for another purpose than the disk's own health is a hog.
 */
static const struct {
	const char *name, *what;
} doers[] = {
	{"md#_resync", "a resync of a software RAID"},
	{"md#_reshape", "a reshape of a software RAID"},
	{"md#_recovery", "a rebuild of a software RAID"},
	{"mdadm", "work on a software RAID"},
	{"raid-check", "a check of a software RAID"},
	{"checkarray", "a check of a software RAID"},
	{"btrfs-scrub*", "a scrub of btrfs"},
	{"btrfs-balance", "a balance of btrfs"},
	{"z_scrub*", "a scrub of ZFS"},
	{"z_rebuild*", "a rebuild of ZFS"},
	{"txg_scrub*", "a scrub of ZFS"},
	{"dsl_scan*", "a scrub of ZFS"},
	{"zpool", "work on a ZFS pool"},
	{"z_trim*", "a trim of ZFS"},
	{"fstrim", "a trim"},
	{"xfs_scrub*", "a scrub of XFS"},
	{"xfs_fsr", "a defragmentation of XFS"},
	{"xfs_repair", "a repair of XFS"},
	{"e2fsck", "a check of ext4"},
	{"e2scrub*", "a scrub of ext4"},
	{"e4defrag", "a defragmentation of ext4"},
	{"fsck", "a check of a file system"},
	{"fsck.*", "a check of a file system"},
	{"badblocks", "a search for bad blocks"},
	{"smartctl", "a self-test of a disk"},
	{"glustershd", "a self-heal of GlusterFS"},
	{"glfsheal*", "a self-heal of GlusterFS"},
	{"bitd", "a scrub of GlusterFS"},
	{"lfsck*", "a check of Lustre"},
	{"OI_scrub*", "a scrub of Lustre"},
	{"scrub", "a scrub"},
	{"scrub_*", "a scrub"},
};

static bool is(const char *name, size_t len, const char *pattern)
{
	const char *end = name + len;

	for (; *pattern; pattern++) {
		if (*pattern == '*')
			return true;
		if (*pattern == '#') {
			if (name == end || !isdigit((unsigned char)*name))
				return false;
			while (name < end && isdigit((unsigned char)*name))
				name++;
			continue;
		}
		if (name == end || *name++ != *pattern)
			return false;
	}
	return name == end;
}

const char *rules_maintenance(const char *process)
{
	const char *colon = strrchr(process, ':');
	size_t len = colon ? (size_t)(colon - process) : strlen(process);

	for (size_t i = 0; i < sizeof(doers) / sizeof(*doers); i++)
		if (is(process, len, doers[i].name))
			return doers[i].what;
	return NULL;
}

bool maintenance_thread(const char *process)
{
	const char *colon = strrchr(process, ':');
	size_t len = colon ? (size_t)(colon - process) : strlen(process);

	return is(process, len, "md#_re*");
}

const struct interval_process *maintenance_process(const struct facts *f)
{
	const struct interval_process *best = NULL;

	for (size_t i = 0; i < f->me->now.n_processes; i++) {
		const struct interval_process *p = &f->me->now.processes[i];
		double kb = facts_or0(p->read_kb) + facts_or0(p->written_kb);
		double best_kb = best ? facts_or0(best->read_kb) + facts_or0(best->written_kb) : 0;

		if (!rules_maintenance(p->name))
			continue;
		if (!best || kb > best_kb || (kb == best_kb && p->cpu_s > best->cpu_s))
			best = p;
	}
	return best;
}
