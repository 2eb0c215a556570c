/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * TCP: whom a socket talks to, and which remote host's row that is. Of a connection within this host one end
 * counts.
 */
#ifndef LIMPET_TCP_HOST_BPF_H
#define LIMPET_TCP_HOST_BPF_H

#include "tcp.bpf.h"

static __always_inline bool port_selected(__u16 port)
{
	if (!n_ports)
		return true;
	for (__u32 i = 0; i < MAX_PORTS; i++) {
		if (i >= n_ports)
			break;
		if (ports[i] == port)
			return true;
	}
	return false;
}

static __always_inline void make_key(const struct sock_common *skc, __u16 port,
				     struct remote_key *key)
{
	__u32 a[4] = {0, 0, bpf_htonl(0xffff), 0};

	if (BPF_CORE_READ(skc, skc_family) == AF_INET6_ &&
	    bpf_core_field_exists(struct sock_common, skc_v6_daddr))
		bpf_core_read(a, sizeof(a), &skc->skc_v6_daddr);
	else
		a[3] = BPF_CORE_READ(skc, skc_daddr);
	__builtin_memcpy(key->addr, a, sizeof(a));
	key->port = n_ports || is_listened(port) ? port : 0;
	key->other = 0;
	key->pad = 0;
}

static __always_inline bool is_loopback(__u32 addr)
{
	return bpf_ntohl(addr) >> 24 == 127;
}

/*
 * A connection within this host has two ends here, and counts once: that of the port listened on. Where
 * sockets are selected by process or cgroup the other end may be nobody's, and then it has not that port.
 */
static __always_inline bool is_other_end(const struct sock_common *skc, __u16 port)
{
	__u16 there = bpf_ntohs(BPF_CORE_READ(skc, skc_dport));
	bool ours = is_listened(port), theirs = is_listened(there);

	if (BPF_CORE_READ(skc, skc_family) == AF_INET6_ &&
	    bpf_core_field_exists(struct sock_common, skc_v6_daddr)) {
		__u64 a[2] = {}, b[2] = {};

		bpf_core_read(a, sizeof(a), &skc->skc_v6_daddr);
		bpf_core_read(b, sizeof(b), &skc->skc_v6_rcv_saddr);
		if (a[0] != b[0] || a[1] != b[1])
			return false;
	} else {
		__u32 a = BPF_CORE_READ(skc, skc_daddr), b = BPF_CORE_READ(skc, skc_rcv_saddr);

		if (a != b && (!is_loopback(a) || !is_loopback(b)))
			return false;
	}
	if (!port_selected(there))
		return false;
	if (ours != theirs)
		return theirs;
	return (ours || !selective()) && port > there;
}

struct taking {
	struct remote_key key;
	__u32 place;
};

static long take_one(__u32 i, struct taking *t)
{
	struct remote *r = remote_at(i);

	if (!r)
		return 1;
	if (r->taken || __sync_val_compare_and_swap(&r->taken, 0, 1))
		return 0;
	r->key = t->key;
	t->place = i;
	return 1;
}

/* A place that is free, for this key; MAX_REMOTES: there is none. */
static __always_inline __u32 take_remote(const struct remote_key *key)
{
	struct taking t = {.key = *key, .place = MAX_REMOTES};

	bpf_loop(MAX_REMOTES, take_one, &t, 0);
	return t.place;
}

static __noinline __u32 remote_of(struct remote_key *key)
{
	__u32 *known = key ? bpf_map_lookup_elem(&remote_places, key) : NULL, i;
	struct remote *r;

	if (known)
		return *known;
	if (!key || remotes_full)
		return MAX_REMOTES;
	i = take_remote(key);
	if (i == MAX_REMOTES) {
		remotes_full = 1;
		return MAX_REMOTES;
	}
	if (!bpf_map_update_elem(&remote_places, key, &i, BPF_NOEXIST))
		return i;
	/* Another one was quicker. */
	r = remote_at(i);
	if (r)
		r->taken = 0;
	known = bpf_map_lookup_elem(&remote_places, key);
	return known ? *known : MAX_REMOTES;
}

/* As sock_row.host. `port` is the local one, which a closing socket has given back already. */
static __noinline __u32 host_of_socket(__u64 sk, __u32 port)
{
	const struct sock_common *skc = (const void *)sk;
	struct remote_key key;

	if (is_other_end(skc, (__u16)port))
		return HOST_IGNORED;
	make_key(skc, (__u16)port, &key);
	return remote_of(&key) + 1;
}

#endif
