// SPDX-License-Identifier: BSD-2-Clause
/* next_steps.h: the table, and names in it: {server}, {disk}, {pid}. */
#include "next_steps.h"

#include <string.h>

#include "userspace/common/sort.h"

static const struct next_step steps[] = {
	{CAUSE_DEVICE_SLOW, "", "ssh {server} smartctl -x /dev/{disk}",
	 "what the drive says of itself: errors, sectors moved, temperature, throttling"},
	{CAUSE_DEVICE_SLOW, "", "ssh {server} 'dmesg -T | tail -n 200'",
	 "resets and time limits of its controller or path"},
	{CAUSE_DEVICE_SLOW, "Ceph", "ceph device ls-by-host {server}", "which OSD has which drive"},
	{CAUSE_DEVICE_SLOW, "Ceph", "ceph osd primary-affinity osd.ID 0",
	 "reads go to other copies, at once and without moving data"},
	{CAUSE_DEVICE_SLOW, "Ceph", "ceph osd out ID",
	 "its data is copied to others; 'ceph osd safe-to-destroy ID' says when it may go"},
	{CAUSE_DEVICE_SLOW, "Lustre",
	 "lctl set_param osp.FSNAME-OSTINDEX-osc-MDT*.max_create_count=0",
	 "on each MDS: no new objects there; what is there stays readable"},
	{CAUSE_DEVICE_SLOW, "Lustre", "lfs find MOUNT --ost INDEX -type f | lfs_migrate -y",
	 "moves what is there to others, while nobody writes it"},
	{CAUSE_DEVICE_SLOW, "GlusterFS", "gluster volume heal VOLUME info summary",
	 "that the other copies are whole, before anything else"},
	{CAUSE_DEVICE_SLOW, "GlusterFS",
	 "gluster volume replace-brick VOLUME {server}:BRICK NEW:BRICK commit force",
	 "another brick takes its place, and is healed from the other copies"},
	{CAUSE_DEVICE_SLOW, "BeeGFS", "beegfs-ctl --migrate --targetid=ID MOUNT",
	 "moves what is there to other targets, while nobody writes it"},
	{CAUSE_DEVICE_SLOW, "HDFS", "hdfs dfsadmin -refreshNodes",
	 "once the server stands in the file of dfs.hosts.exclude: its blocks are copied to "
	 "others, and then it is out"},
	{CAUSE_DISK_HOG, "", "ssh {server} ps -o pid,user,lstart,args -p {pid}",
	 "what it is, whose, and since when"},
	{CAUSE_DISK_HOG, "", "ssh {server} ionice -c 3 -p {pid}",
	 "gives it the disk only when nobody else needs it; works with bfq and mq-deadline only"},
	{CAUSE_DISK_HOG, "", "ssh {server} pidstat -d 5 3", "who reads and writes how much now"},
	{CAUSE_DISK_BUSY, "", "ssh {server} iostat -x {disk} 5 3",
	 "how busy the disk is, and with what"},
	{CAUSE_DISK_BUSY, "", "ssh {server} pidstat -d 5 3", "who reads and writes how much now"},
	{CAUSE_DISK_BUSY, "", "ssh {server} cat /proc/mdstat",
	 "whether an array checks or rebuilds itself"},
	{CAUSE_IO_SCHEDULER, "",
	 "ssh {server} grep . /sys/block/{disk}/queue/scheduler "
	 "/sys/block/{disk}/queue/nr_requests",
	 "beside the same of a peer: what differs is what requests wait for"},
	{CAUSE_NETWORK_HOG, "", "ssh {server} ss -tnpi state established",
	 "which connections send, and of which processes"},
	{CAUSE_PACKET_LOSS, "", "ssh {server} ip -s -s link",
	 "errors, drops and frame checks of each interface"},
	{CAUSE_PACKET_LOSS, "", "ssh {server} 'ethtool INTERFACE; ethtool -S INTERFACE'",
	 "its speed and duplex, and counters of the port; then the cable, the transceiver and "
	 "the port of the switch"},
	{CAUSE_CPU_HOG, "", "ssh {server} pidstat -u 5 3", "who computes now"},
	{CAUSE_CPU_HOG, "", "ssh {server} renice -n 19 -p {pid}",
	 "it computes only when nobody else does"},
	{CAUSE_MEMORY_PRESSURE, "", "ssh {server} 'ps -eo pid,user,rss,args --sort=-rss | head'",
	 "who has the memory"},
	{CAUSE_MEMORY_PRESSURE, "", "ssh {server} cat /proc/pressure/memory",
	 "how long tasks wait for it"},
	{CAUSE_HUNG, "", "ssh {server} 'ps -eLo pid,stat,wchan:32,comm | grep \" D\"'",
	 "threads that wait in the kernel, and where"},
	{CAUSE_HUNG, "Ceph", "ceph tell osd.ID dump_ops_in_flight",
	 "which operations wait, and for what"},
	{CAUSE_HUNG, "Lustre", "ssh {server} 'lctl get_param *.*.recovery_status'",
	 "whether it waits for clients to come back"},
	{CAUSE_HUNG, "GlusterFS", "gluster volume status VOLUME clients",
	 "which brick answers nobody"},
	{CAUSE_BUSY_LOCK, "", "ssh {server} perf trace -s -p PID -- sleep 5",
	 "of the file system's server: which system calls it waits in"},
	{CAUSE_BUSY_CODE, "", "ssh {server} perf top -p PID",
	 "of the file system's server: which functions compute"},
	{CAUSE_FAILING, "Spark", "spark-submit --conf spark.excludeOnFailure.enabled=true APP",
	 "a node where tasks fail gets no more of them"},
	{CAUSE_FAILING, "YARN", "yarn rmadmin -refreshNodes",
	 "once the server stands in the file of yarn.resourcemanager.nodes.exclude-path: it "
	 "gets no more containers"},
	{CAUSE_SLOW, "", "ssh {server} 'dmesg -T | tail -n 200'", "what its kernel complains of"},
	{CAUSE_SLOW, "Spark", "spark-submit --conf spark.speculation=true APP",
	 "late tasks are run once more elsewhere"},
	{CAUSE_SLOW, "YARN", "yarn rmadmin -replaceLabelsOnNode '{server}=LABEL'",
	 "jobs that want another label leave it alone"},
};

size_t next_steps(enum cause cause, const struct next_step **first)
{
	const size_t all = sizeof(steps) / sizeof(*steps);
	size_t i = index_if(k, all, steps[k].cause == cause);

	*first = &steps[i];
	return run_end(k, i, all, steps[k].cause == cause) - i;
}

/* ---- names --------------------------------------------------------------------------------------------- */

static const char *disk_of(const struct incident *in)
{
	if (*in->detail.disk)
		return in->detail.disk;
	for (size_t i = 0; i < in->n_findings; i++)
		if (*in->findings[i].disk)
			return in->findings[i].disk;
	return "";
}

/* A name that a shell takes for something else is none of a machine: then there is no command. */
static bool put_name(struct text *t, const char *name)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";

	if (!*name || name[strspn(name, plain)] || *name == '-')
		return false;
	text_put(t, name);
	return true;
}

static bool put_placeholder(struct text *t, const char *key, size_t len, const struct verdict *a,
			    const struct incident *in)
{
	char name[INSTANCE_LEN];
	long pid = verdict_process(&in->culprit, name);

	if (!strncmp(key, "server", len))
		return put_name(t, verdict_node(a, in->node));
	if (!strncmp(key, "disk", len))
		return put_name(t, disk_of(in));
	if (pid >= 0)
		text_add(t, "%ld", pid);
	return pid >= 0;
}

const char *next_step_command(struct text *t, const struct verdict *a, const struct incident *in,
			      const struct next_step *step)
{
	text_reset(t);
	for (const char *c = step->command; *c;) {
		const char *end = *c == '{' ? strchr(c, '}') : NULL;

		if (!end) {
			text_put_bytes(t, c++, 1);
			continue;
		}
		if (!put_placeholder(t, c + 1, (size_t)(end - c - 1), a, in))
			return "";
		c = end + 1;
	}
	return text_of(t);
}
