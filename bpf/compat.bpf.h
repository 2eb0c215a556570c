/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Every difference between kernels, in one place. Nothing asks for a kernel version: user space
 * or CO-RE asks BTF what is there.
 */
#ifndef LIMPET_COMPAT_BPF_H
#define LIMPET_COMPAT_BPF_H

#include <linux/bpf.h>
#include "vmlinux/vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/*
 * A program on a typed tracepoint (tp_btf) reads members directly; its twin on the raw tracepoint,
 * for kernels without that tracepoint's BTF type, has only addresses and must probe-read. Bodies
 * are written once, with `typed` a constant, and the other half is compiled away.
 */
#define GET(typed, ptr, member) ((typed) ? (ptr)->member : BPF_CORE_READ(ptr, member))

/* An int, and a byte in Linux 7.2, which a plain read of an int cannot become: this asks for the size. */
static __always_inline bool is_on_cpu(const struct task_struct *task)
{
	return BPF_CORE_READ_BITFIELD(task, on_cpu);
}

#endif
