/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kernel types the probe reads, and of each only the members it reads. Offsets here mean
 * nothing: every access is relocated against the running kernel's BTF at load (CO-RE), so this one
 * header serves every kernel and architecture. Add a member by its kernel name and type.
 */
#ifndef LIMPET_VMLINUX_H
#define LIMPET_VMLINUX_H

#include <linux/types.h>
#include <stdbool.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* ---- block ---- */

struct kernfs_node {
	__u64 id;
	void *priv;
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct blkcg {
	struct cgroup_subsys_state css;
};

struct blkcg_gq {
	struct blkcg *blkcg;
};

struct bio {
	struct blkcg_gq *bi_blkg;
};

/* [enum stat_group]: read, write, discard, flush */
typedef struct {
	long counter;
} atomic_long_t;

typedef struct {
	atomic_long_t a;
} local_t;

struct disk_stats {
	__u64 nsecs[4];
	unsigned long sectors[4];
	unsigned long ios[4];
	unsigned long merges[4];
	unsigned long io_ticks;
	local_t in_flight[2];
};

struct kobject {
	struct kernfs_node *sd;
};

struct device {
	struct kobject kobj;
};

struct block_device {
	__u64 bd_nr_sectors;
	struct disk_stats *bd_stats;
	unsigned long bd_stamp;
	__u32 bd_dev;
	struct gendisk *bd_disk;
	struct device bd_device;
};

struct gendisk {
	int major;
	int first_minor;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	__u32 cmd_flags;
	__u32 rq_flags;
	unsigned int __data_len;
	struct bio *bio;
	__u64 start_time_ns;
	__u64 io_start_time_ns;
};

/* ---- scheduler ---- */

struct cfs_rq;

typedef struct {
	int counter;
} atomic_t;

struct rq {
	unsigned int nr_running;
	__u64 nr_switches;
	__u64 clock;
	atomic_t nr_iowait;
	int cpu;
};

struct sched_info {
	unsigned long long last_queued;
	unsigned long long last_arrival;
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
	__u64 sum_exec_runtime;
};

/* ---- files ---- */

struct inode {
	void *i_private;
};

struct file {
	struct inode *f_inode;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

/* ---- tasks ---- */

struct task_io_accounting {
	__u64 read_bytes;
	__u64 write_bytes;
	__u64 cancelled_write_bytes;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct task_struct {
	unsigned int __state;
	int exit_state;
	unsigned int flags;
	int on_cpu;
	unsigned long nvcsw;
	unsigned long nivcsw;
	unsigned in_iowait : 1;
	int pid;
	int tgid;
	struct task_struct *group_leader;
	__u64 start_boottime;
	char comm[16];
	struct sched_entity se;
	struct sched_info sched_info;
	struct files_struct *files;
	struct css_set *cgroups;
	struct task_io_accounting ioac;
};

/* A thread's registers when it entered the kernel: of x86, of 64-bit ARM. */
struct pt_regs {
#if defined(__TARGET_ARCH_arm64)
	__u64 regs[31];
	int syscallno;
#else
	unsigned long dx;
	unsigned long si;
	unsigned long orig_ax;
#endif
};

/* ---- tcp ---- */

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct in6_addr {
	union {
		__u8 u6_addr8[16];
		__be32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	unsigned int skc_hash;
	__be16 skc_dport;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	__u16 skc_num;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};

struct sock_cgroup_data {
	struct cgroup *cgroup;
};

struct sock {
	struct sock_common __sk_common;
	__u16 sk_protocol;
	struct sock_cgroup_data sk_cgrp_data;
};

struct socket {
	short type;
	struct sock *sk;
};

struct inet_sock {
	__be16 inet_sport;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	void *icsk_ulp_data;
	struct {
		__u32 lrcvtime;
	} icsk_ack;
};

struct sk_buff {
	char cb[48];
};

struct tcp_skb_cb {
	__u16 tcp_gso_segs;
};

struct tcp_sock {
	__u32 rcv_nxt;
	__u32 copied_seq;
	struct inet_connection_sock inet_conn;
	__u32 snd_una;
	__u32 write_seq;
	__u32 packets_out;
	__u32 snd_cwnd;
	__u32 snd_ssthresh;
	__u32 srtt_us;
	__u32 lsndtime;
	__u64 bytes_received;
	__u64 bytes_acked;
	__u32 segs_in;
	__u32 segs_out;
	__u32 data_segs_in;
	__u32 data_segs_out;
	__u32 total_retrans;
	__u32 rcv_ooopack;
	bool is_mptcp;
};

struct mptcp_subflow_context {
	struct sock *conn;
};

struct seq_file;

struct bpf_iter_meta {
	union {
		struct seq_file *seq;
	};
	__u64 session_id;
	__u64 seq_num;
};

struct bpf_iter__task {
	union {
		struct bpf_iter_meta *meta;
	};
	union {
		struct task_struct *task;
	};
};

struct bpf_iter__tcp {
	union {
		struct bpf_iter_meta *meta;
	};
	union {
		struct sock_common *sk_common;
	};
	__u32 uid;
};

struct bpf_iter__task_file {
	union {
		struct bpf_iter_meta *meta;
	};
	union {
		struct task_struct *task;
	};
	__u32 fd;
	union {
		struct file *file;
	};
};

#pragma clang attribute pop

#endif
