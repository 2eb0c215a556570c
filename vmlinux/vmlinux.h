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

struct rq {
	unsigned int nr_running;
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

struct task_struct {
	struct sched_entity se;
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

struct sock_common {
	unsigned short skc_family;
	volatile unsigned char skc_state;
	__u16 skc_num;
	possible_net_t skc_net;
};

struct sock {
	struct sock_common __sk_common;
};

struct sk_buff {
	char cb[48];
};

struct tcp_skb_cb {
	__u16 tcp_gso_segs;
};

struct tcp_sock {
	__u32 snd_cwnd;
	__u32 lsndtime;
};

struct seq_file;

struct bpf_iter_meta {
	union {
		struct seq_file *seq;
	};
	__u64 session_id;
	__u64 seq_num;
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

#pragma clang attribute pop

#endif
