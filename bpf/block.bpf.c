// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Block I/O: at completion of each request on a selected disk, counts, bytes, origin and latency.
 * No state per request: the request carries its own start time.
 */
#include "probe.bpf.h"

enum { REQ_OP_READ_, REQ_OP_WRITE_, REQ_OP_FLUSH_, REQ_OP_DISCARD_, REQ_OP_DRV_IN_ = 34 };

#define SIZE_SMALL  (16 << 10)
#define SIZE_MEDIUM (128 << 10)

/* major << 20 | minor of the disk in each slot; not rodata, for a disk may come back under another
 * number. 0: the slot is not in use. */
__u32 disk_dev[MAX_DISKS];
const volatile __u32 n_disks;

/* What is the file system's own: cgroups by level and inode number. */
const volatile __u32 n_cgroups;
const volatile __u32 cgroup_level[MAX_CGROUPS];
const volatile __u64 cgroup_id[MAX_CGROUPS];
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

/*
 * struct cgroup keeps its ancestors as pointers since 6.1 (7f203bc89eb6 "cgroup: Replace
 * cgroup->ancestor_ids[] with ->ancestors[]"), as ids before. Where they are comes from user space
 * too: clang moves both sides of a CO-RE branch in front of it, and the side that is not there does
 * not load.
 */
const volatile __u32 cgroup_ancestors_offset;
const volatile bool cgroup_ancestors_are_ids;

static __always_inline __u64 cgroup_ancestor_id(struct cgroup *cg, __u32 level)
{
	const void *at = (void *)cg + cgroup_ancestors_offset + level * sizeof(__u64);
	struct cgroup *ancestor = NULL;
	__u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), at);
	ancestor = (struct cgroup *)word;
	return cgroup_ancestors_are_ids ? word : BPF_CORE_READ(ancestor, kn, id);
}

enum origin { ORIGIN_OWN, ORIGIN_FOREIGN, ORIGIN_UNKNOWN };

static __always_inline int slot_of(__u32 dev)
{
	for (__u32 i = 0; i < MAX_DISKS; i++) {
		if (i >= n_disks)
			break;
		if (disk_dev[i] == dev)
			return i;
	}
	return -1;
}

/* The group that submitted the request (never `current`, which at completion is anybody). */
static __always_inline enum origin origin_of(struct request *rq, __u32 op, bool typed)
{
	struct bio *bio = GET(typed, rq, bio);
	struct cgroup *cg = BPF_CORE_READ(bio, bi_blkg, blkcg, css.cgroup);
	int level = BPF_CORE_READ(cg, level);

	if (!cg)
		return ORIGIN_UNKNOWN;
	for (__u32 i = 0; i < MAX_CGROUPS; i++) {
		if (i >= n_cgroups)
			break;
		if (level >= (int)cgroup_level[i] &&
		    cgroup_ancestor_id(cg, cgroup_level[i]) == cgroup_id[i])
			return ORIGIN_OWN;
	}
	if (writeback_anonymous && op == OP_WRITE && level == 0)
		return ORIGIN_UNKNOWN;
	return ORIGIN_FOREIGN;
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

static __always_inline __u64 start_of(struct request *rq, bool typed)
{
	__u32 flags = GET(typed, rq, rq_flags);

	if (flags & (1U << rqf_io_stat_bit))
		return GET(typed, rq, start_time_ns);
	if (flags & (1U << rqf_stats_bit))
		return GET(typed, rq, io_start_time_ns);
	return 0;
}

static __always_inline void count_latency(struct disk_record *d, __u32 op, __u32 bytes,
					  __u64 lat_ns)
{
	__u32 size = bytes <= SIZE_SMALL ? 0 : bytes <= SIZE_MEDIUM ? 1 : 2;
	__u32 b = bucket_of(lat_ns >> LAT_SHIFT, LAT_SUB_BITS);

	if (b > LAT_BUCKETS - 1)
		b = LAT_BUCKETS - 1;
	asm volatile("" : "+r"(b)); /* or the 6.1 verifier loses the bound */
	__sync_fetch_and_add(&d->lat[op & 1][size][b & (LAT_BUCKETS - 1)], 1);
}

static __always_inline int complete(struct request *rq, __u32 nr_bytes, bool typed)
{
	struct request_queue *q = GET(typed, rq, q);
	struct gendisk *disk = GET(typed, q, disk);
	__u32 dev = (__u32)GET(typed, disk, major) << 20 | (__u32)GET(typed, disk, first_minor);
	int slot = slot_of(dev), op = op_of(GET(typed, rq, cmd_flags));
	struct disk_record *d;
	__u64 start, lat_ns;

	if (slot < 0 || op < 0)
		return 0;
	/* The end of a flush sequence completes its data request a second time, with no bytes. */
	if (!nr_bytes && op != OP_FLUSH)
		return 0;
	d = &disks[slot & (MAX_DISKS - 1)];
	__sync_fetch_and_add(&d->bytes[op], nr_bytes);
	if (n_cgroups && op <= OP_WRITE) {
		enum origin origin = origin_of(rq, op, typed);

		if (origin == ORIGIN_FOREIGN)
			__sync_fetch_and_add(&d->foreign_bytes[op], nr_bytes);
		else if (origin == ORIGIN_UNKNOWN)
			__sync_fetch_and_add(&d->unknown_bytes[op], nr_bytes);
	}
	if (nr_bytes < GET(typed, rq, __data_len))
		return 0; /* a part; the request goes on */
	__sync_fetch_and_add(&d->ios[op], 1);
	start = start_of(rq, typed);
	if (!start) {
		__sync_fetch_and_add(&d->untimed[op], 1);
		return 0;
	}
	lat_ns = bpf_ktime_get_ns() - start;
	if ((__s64)lat_ns < 0)
		lat_ns = 0;
	__sync_fetch_and_add(&d->lat_ns[op], lat_ns);
	if (op <= OP_WRITE)
		count_latency(d, op, nr_bytes, lat_ns);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(block_typed, struct request *rq, int error, unsigned int nr_bytes)
{
	return complete(rq, nr_bytes, true);
}

SEC("raw_tp/block_rq_complete")
int block_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return complete((struct request *)ctx->args[0], (__u32)ctx->args[2], false);
}
