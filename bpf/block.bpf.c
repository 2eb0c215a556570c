// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Block I/O: at completion of each request on a selected disk, counts, bytes, origin and latency.
 * No state per request: the request carries its own start time.
 */
#include "cgroup.bpf.h"

enum {
	REQ_OP_READ_,
	REQ_OP_WRITE_,
	REQ_OP_FLUSH_,
	REQ_OP_DISCARD_,
	REQ_OP_ZONE_APPEND_ = 7,
	REQ_OP_DRV_IN_ = 34
};

#define SIZE_SMALL  (16 << 10)
#define SIZE_MEDIUM (128 << 10)

/* From a disk's number to its slot; not rodata, for disks come and go and change their numbers. */
struct dev_entry dev_table[DEV_TABLE];
const volatile __u32 n_disks; /* slots in use, without OTHER_DISK's */
/* Where the kernel keeps the statistics of the disk in each slot; 0: ask /sys. */
static struct disk_home {
	__u64 bdev;
	__u32 dev;
	__u32 pad;
} disk_homes[MAX_DISKS];

/* For user space to look at after a sweep. */
__u8 disk_gone[MAX_DISKS];

const volatile bool with_origin; /* else nothing about it is in the program */
/* The block controller is on cgroup v1, where writeback of the page cache is done in the root
 * group's name, whoever dirtied the page. */
const volatile bool writeback_anonymous;

/*
 * Start of a request. Bit numbers of rq_flags move between kernels and are macros up to 6.10, so
 * user space looks them up in BTF (features.c). Without RQF_IO_STAT (queue/iostats=0)
 * start_time_ns is 0 up to 6.12 but stale later (see 6cf3b64f6b75 "block: cache current nsec time
 * in struct blk_plug"): never test the value, test the flag.
 */
const volatile __u32 rqf_io_stat_bit = 13;
const volatile __u32 rqf_stats_bit = 17;

/* ROOT: of the root group, which is foreign, but for writeback in its name. */
enum origin { ORIGIN_OWN, ORIGIN_FOREIGN, ORIGIN_UNKNOWN, ORIGIN_ROOT };

/*
 * What a group was found to be holds for 256 jiffies (a second at 250 Hz), since its memory may be another
 * group's then, and until other groups are given, which raises `verdicts_of`. A word each, so that it is read
 * as a whole: the group's address, from bit 16 on (of its upper 16 bits nothing is told), the time and
 * verdicts_of, enum origin.
 */
#define VERDICTS 256
static __u64 verdicts[VERDICTS];
__u32 verdicts_of;

static __always_inline struct disk_slot *slot_of(__u32 dev)
{
	__u32 h = dev_hash(dev);

	for (__u32 i = 0; i < DEV_PROBES; i++) {
		struct dev_entry *e = &dev_table[(h + i) & (DEV_TABLE - 1)];

		if (e->dev == dev) {
			__u32 slot = e->slot;

			return bpf_map_lookup_elem(&disk_slots, &slot);
		}
	}
	return NULL;
}

static __noinline __u32 judge_group(struct cgroup *cg)
{
	int level = BPF_CORE_READ(cg, level);

	if (is_own_group(cg, level, CGROUP_OF_REQUESTS))
		return ORIGIN_OWN;
	return level ? ORIGIN_FOREIGN : ORIGIN_ROOT;
}

/* The group that submitted the request (never `current`, which at completion is anybody). */
static __always_inline enum origin origin_of(struct request *rq, __u32 op, bool typed)
{
	struct bio *bio = GET(typed, rq, bio);
	struct blkcg *blkcg = typed ? bio->bi_blkg->blkcg : BPF_CORE_READ(bio, bi_blkg, blkcg);
	__u64 at = 0, group, known, *kept;

	/* Not typed, for the verifier knows no arithmetic with what is. */
	bpf_core_read(&at, sizeof(at), &blkcg->css.cgroup);
	if (!at)
		return ORIGIN_UNKNOWN;
	group = at << 16 | (verdicts_of + (bpf_jiffies64() >> 8) & 0x3fff) << 2;
	kept = &verdicts[(at >> 6 ^ at >> 12) & (VERDICTS - 1)];
	known = *(volatile __u64 *)kept;
	if ((known ^ group) > ORIGIN_ROOT)
		*kept = known = group | judge_group((struct cgroup *)at);
	if ((known & 3) != ORIGIN_ROOT)
		return known & 3;
	return writeback_anonymous && op == OP_WRITE ? ORIGIN_UNKNOWN : ORIGIN_FOREIGN;
}

/* Accounting as the kernel's own (op_stat_group()): whatever writes and is no discard is a write. */
static __always_inline int op_of(__u32 cmd_flags)
{
	__u32 op = cmd_flags & 0xff;

	if (op == REQ_OP_FLUSH_)
		return OP_FLUSH;
	if (op == REQ_OP_DISCARD_)
		return OP_DISCARD;
	if (op >= REQ_OP_DRV_IN_)
		return -1; /* passed through to the driver: no I/O of a file system */
	return op & 1 ? OP_WRITE : OP_READ;
}

/* Whether data is read or written: of zeroes, which the disk makes itself, and of what is erased the times
 * are of another kind. */
static __always_inline bool moves_data(__u32 cmd_flags)
{
	__u32 op = cmd_flags & 0xff;

	return op == REQ_OP_READ_ || op == REQ_OP_WRITE_ || op == REQ_OP_ZONE_APPEND_;
}

/* When the request came to the queue: what await counts from. */
static __always_inline __u64 start_of(struct request *rq, __u32 flags, bool typed)
{
	if (flags & (1U << rqf_io_stat_bit))
		return GET(typed, rq, start_time_ns);
	if (flags & (1U << rqf_stats_bit))
		return GET(typed, rq, io_start_time_ns);
	return 0;
}

static __always_inline void count(__u32 *hist, __u64 ns)
{
	__u32 b = bucket_of(ns >> LAT_SHIFT, LAT_SUB_BITS);

	if (b > LAT_BUCKETS - 1)
		b = LAT_BUCKETS - 1;
	asm volatile("" : "+r"(b)); /* or the 6.1 verifier loses the bound */
	__sync_fetch_and_add(&hist[b & (LAT_BUCKETS - 1)], 1);
}

static __always_inline __u64 since(__u64 start, __u64 now)
{
	return now > start ? now - start : 0;
}

static __always_inline void count_times(struct request *rq, struct disk_slot *s, __u32 op,
					__u32 nr_bytes, bool failed, bool odd, bool typed)
{
	__u32 size = nr_bytes <= SIZE_SMALL ? 0 : nr_bytes <= SIZE_MEDIUM ? 1 : 2;
	__u32 flags = GET(typed, rq, rq_flags);
	__u64 start = start_of(rq, flags, typed), now, ns;

	if (!start || op > OP_WRITE || odd || failed)
		__sync_fetch_and_add(&s->disk.ios[op], 1);
	if (op > OP_WRITE)
		return;
	now = bpf_ktime_get_ns();
	if (failed) {
		__sync_fetch_and_add(&s->disk.failed_ios[op & 1], 1);
		__sync_fetch_and_add(&s->disk.failed_ns[op & 1], start ? since(start, now) : 0);
	} else if (!start) {
		__sync_fetch_and_add(&s->disk.untimed[op & 1], 1);
	}
	if (!start || odd || failed)
		return;
	count(s->lat.lat[op & 1][size], since(start, now));
	/* Stamped where the queue keeps statistics, as for writeback throttling. */
	if (!(flags & (1U << rqf_stats_bit)))
		return;
	ns = since(GET(typed, rq, io_start_time_ns), now);
	count(s->lat.dev[op & 1][size], ns);
	__sync_fetch_and_add(&s->disk.dev_ns[op & 1], ns);
}

static __always_inline struct disk_slot *slot_of_request(struct request *rq, bool typed)
{
	struct request_queue *q = GET(typed, rq, q);
	struct gendisk *disk = GET(typed, q, disk);
	__u32 dev = (__u32)GET(typed, disk, major) << 20 | (__u32)GET(typed, disk, first_minor);

	return dev ? slot_of(dev) : NULL; /* 0: a queue without a disk */
}

static __always_inline int complete(struct request *rq, bool failed, __u32 nr_bytes, bool typed)
{
	__u32 cmd_flags = GET(typed, rq, cmd_flags);
	struct disk_slot *s = slot_of_request(rq, typed);
	int op = op_of(cmd_flags);

	if (!s || op < 0)
		return 0;
	/* The end of a flush sequence completes its data request a second time, with no bytes. */
	if (!nr_bytes && op != OP_FLUSH)
		return 0;
	if (failed)
		__sync_fetch_and_add(&s->disk.errors, 1);
	if (with_origin && op <= OP_WRITE) {
		enum origin origin = origin_of(rq, op, typed);

		if (origin == ORIGIN_FOREIGN)
			__sync_fetch_and_add(&s->disk.foreign_bytes[op], nr_bytes);
		else if (origin == ORIGIN_UNKNOWN)
			__sync_fetch_and_add(&s->disk.unknown_bytes[op], nr_bytes);
	}
	/* Less is a part, and the request goes on. */
	if (nr_bytes >= GET(typed, rq, __data_len))
		count_times(rq, s, op, nr_bytes, failed, !moves_data(cmd_flags), typed);
	/* Last, for the sweep looks here for whether the histograms have changed. */
	__sync_fetch_and_add(&s->disk.bytes[op], nr_bytes);
	return 0;
}

/* `error` is an errno up to 5.15, a blk_status_t since. */
SEC("tp_btf/block_rq_complete")
int BPF_PROG(block_typed, struct request *rq, int error, unsigned int nr_bytes)
{
	return complete(rq, error, nr_bytes, true);
}

SEC("raw_tp/block_rq_complete")
int block_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return complete((struct request *)ctx->args[0], (__u8)ctx->args[1], (__u32)ctx->args[2],
			false);
}

/* The device was busy, answered part of it, or is to try again. */
static __always_inline int requeue(struct request *rq, bool typed)
{
	struct disk_slot *s = slot_of_request(rq, typed);

	if (s)
		__sync_fetch_and_add(&s->disk.requeues, 1);
	return 0;
}

SEC("tp_btf/block_rq_requeue")
int BPF_PROG(requeue_typed, struct request *rq)
{
	return requeue(rq, true);
}

SEC("raw_tp/block_rq_requeue")
int requeue_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return requeue((struct request *)ctx->args[0], false);
}

/* ---- the kernel's own statistics ---- */

/*
 * From an open /sys/block/DISK/stat of the calling process to the block device it belongs to: the
 * file's node, the node of its folder, the device that folder stands for. Works for every kind of
 * disk, stacked and bio-based ones too, and opens no device.
 */
static __always_inline struct block_device *disk_of_fd(__u32 fd)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct fdtable *fdt = BPF_CORE_READ(task, files, fdt);
	__u64 device = bpf_core_field_offset(struct block_device, bd_device) +
		       bpf_core_field_offset(struct device, kobj);
	struct kernfs_node *node = NULL, *folder = NULL;
	struct file *file = NULL;

	if (fd >= BPF_CORE_READ(fdt, max_fds))
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(fdt, fd) + fd);
	node = BPF_CORE_READ(file, f_inode, i_private);
	bpf_probe_read_kernel(&folder, sizeof(folder), (void *)node + layout.kernfs_parent);
	return BPF_CORE_READ(folder, priv) - device;
}

/* The number by which requests know a disk, also one that is hidden: a path of NVMe multipath. */
SEC("syscall")
int number_of_disk(struct find_disk_args *args)
{
	struct block_device *bdev = disk_of_fd(args->fd);
	struct gendisk *disk = BPF_CORE_READ(bdev, bd_disk);

	args->dev =
		(__u32)BPF_CORE_READ(disk, major) << 20 | (__u32)BPF_CORE_READ(disk, first_minor);
	args->found = args->dev != 0;
	return 0;
}

SEC("syscall")
int find_disk(struct find_disk_args *args)
{
	struct block_device *bdev;
	__u32 slot = args->slot;
	struct disk_slot *s = bpf_map_lookup_elem(&disk_slots, &slot);

	args->found = 0;
	if (slot >= MAX_DISKS || !s)
		return 0;
	/* First, for this is how a disk that has gone is forgotten: its memory may be another's. */
	disk_homes[slot & (MAX_DISKS - 1)].bdev = 0;
	s->disk.state = DISK_UNKNOWN;
	bdev = disk_of_fd(args->fd);
	/* A disk that has gone has neither, and is not the one without a number. */
	if (!bdev || !args->dev || BPF_CORE_READ(bdev, bd_dev) != args->dev)
		return 0;
	disk_homes[slot & (MAX_DISKS - 1)].bdev = (__u64)bdev;
	disk_homes[slot & (MAX_DISKS - 1)].dev = args->dev;
	args->found = 1;
	return 0;
}

struct stats_ctx {
	struct disk_counters sum;
	__u32 cpus_seen;
	struct disk_stats *stats;
};

static __always_inline void add4(__u64 *to, const __u64 *from)
{
	for (int i = 0; i < OP_COUNT; i++)
		to[i] += from[i];
}

/* In the order of enum disk_op, which differs from enum stat_group's in nothing. */
static long add_stats(__u32 cpu, void *arg)
{
	struct stats_ctx *c = arg;
	__u64 base = cpu_base(cpu), offset = 0, v[4], in_flight[2];
	struct disk_stats *ds;

	if (!base)
		return 0;
	c->cpus_seen++;
	bpf_probe_read_kernel(&offset, sizeof(offset), (void *)(base + layout.this_cpu_off));
	ds = (void *)c->stats + offset;
	BPF_CORE_READ_INTO(&v, ds, ios);
	add4(c->sum.ios, v);
	BPF_CORE_READ_INTO(&v, ds, merges);
	add4(c->sum.merges, v);
	BPF_CORE_READ_INTO(&v, ds, sectors);
	add4(c->sum.sectors, v);
	BPF_CORE_READ_INTO(&v, ds, nsecs);
	add4(c->sum.ns, v);
	c->sum.io_ticks += BPF_CORE_READ(ds, io_ticks);
	BPF_CORE_READ_INTO(&in_flight, ds, in_flight);
	c->sum.in_flight += in_flight[0] + in_flight[1];
	return 0;
}

static long read_stats(__u32 slot, void *ctx)
{
	struct disk_home *home = &disk_homes[slot & (MAX_DISKS - 1)];
	struct disk_slot *s = bpf_map_lookup_elem(&disk_slots, &slot);
	struct block_device *bdev = (void *)home->bdev;
	struct stats_ctx c = {};

	if (!s || !bdev)
		return 0;
	s->disk.state = DISK_GONE;
	disk_gone[slot & (MAX_DISKS - 1)] = 1;
	/* Out of sysfs, under another number, or without a medium: the memory may be anybody's. */
	if (!BPF_CORE_READ(bdev, bd_device.kobj.sd) || BPF_CORE_READ(bdev, bd_dev) != home->dev ||
	    !BPF_CORE_READ(bdev, bd_nr_sectors))
		return 0;
	c.stats = BPF_CORE_READ(bdev, bd_stats);
	bpf_loop(n_cpus, add_stats, &c, 0);
	/* Per processor it may be anything: a request ends where it did not begin. */
	if ((__s64)c.sum.in_flight < 0)
		c.sum.in_flight = 0;
	if (c.sum.in_flight)
		c.sum.io_ticks += bpf_jiffies64() - BPF_CORE_READ(bdev, bd_stamp);
	s->disk.stats = c.sum;
	s->disk.cpus_seen = c.cpus_seen;
	s->disk.state = DISK_HERE;
	disk_gone[slot & (MAX_DISKS - 1)] = 0;
	return 0;
}

/* Before sweep_disks(), which submits what this reads. */
SEC("syscall")
int read_disks(struct sweep_args *args)
{
	part_of(args);
	bpf_loop(n_disks, read_stats, NULL, 0);
	return 0;
}

/* ---- sweep ---- */

static long sweep_disk(__u32 slot, void *ctx)
{
	struct disk_slot *s = bpf_map_lookup_elem(&disk_slots, &slot);
	__u64 bytes;

	if (!s)
		return 1;
	s->disk.head.index = s->lat.head.index = slot == n_disks ? OTHER_DISK : slot;
	submit(&s->disk, sizeof(s->disk), &s->disk.head, REC_DISK);
	bytes = s->disk.bytes[OP_READ] + s->disk.bytes[OP_WRITE];
	if (bytes != s->bytes_seen && submit(&s->lat, sizeof(s->lat), &s->lat.head, REC_LAT))
		s->bytes_seen = bytes;
	return 0;
}

SEC("syscall")
int sweep_disks(struct sweep_args *args)
{
	part_of(args);
	bpf_loop(n_disks + 1, sweep_disk, NULL, 0);
	return 0;
}
