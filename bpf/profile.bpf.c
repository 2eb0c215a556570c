// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Threads of the file system's server: an iterator over those of one process, which user space runs ten
 * times a second, writes what each does, and where in the kernel it sleeps. Nothing runs per event, and
 * no thread of another process is looked at. What the stacks mean is user space's to say
 * (userspace/probe/profile).
 */
#include "probe.bpf.h"

/*
 * Context switches a thread had when its stack was written last: while they are the same it sleeps as it
 * did, and its stack, which is what a look costs, need not be walked again.
 */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} threads_seen SEC(".maps");

#define PF_EXITING_	     4
#define PF_KTHREAD_	     0x00200000
#define TASK_STOPPED_	     0x0004
#define TASK_TRACED_	     0x0008
#define TASK_FROZEN_	     0x8000
#define HEAD_BYTES	     offsetof(struct thread_sample, call)
#define BYTES_WITHOUT_FRAMES offsetof(struct thread_sample, frame)

/* One at a time is looked at, by one thread of user space. */
static struct thread_sample sample;

/*
 * Whether the thread ran until this look took its processor: the switch from the one to the other gave both
 * the same time. Else a server that computes on a machine without an idle processor would never be met
 * on one. Without CONFIG_SCHED_INFO it counts as runnable.
 */
static __always_inline bool displaced(const struct task_struct *task)
{
	const struct task_struct *self = bpf_get_current_task_btf();

	if (!bpf_core_field_exists(task->sched_info.last_queued))
		return false;
	return task->sched_info.last_queued &&
	       task->sched_info.last_queued == self->sched_info.last_arrival;
}

static __always_inline __u16 state_of(const struct task_struct *task)
{
	unsigned int state = task->__state;

	if (is_on_cpu(task))
		return THREAD_ON_CPU;
	if (!state)
		return displaced(task) ? THREAD_ON_CPU : THREAD_RUNNABLE;
	return state & (TASK_STOPPED_ | TASK_TRACED_ | TASK_FROZEN_) ? THREAD_STOPPED
								     : THREAD_ASLEEP;
}

static __always_inline void add_call(struct thread_sample *s, struct task_struct *task)
{
	const struct pt_regs *regs;

	s->call = -1;
	if (task->flags & PF_KTHREAD_)
		return;
	regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	if (!regs)
		return;
#if defined(__TARGET_ARCH_arm64)
	s->call = regs->syscallno;
	s->arg2 = regs->regs[1];
	s->arg3 = regs->regs[2];
#else
	s->call = (__s64)regs->orig_ax;
	s->arg2 = regs->si;
	s->arg3 = regs->dx;
#endif
}

/* Bytes of the sample with its frames. */
static __always_inline __u32 add_frames(struct thread_sample *s, struct task_struct *task)
{
	long bytes = bpf_get_task_stack(task, s->frame, sizeof(s->frame), 0);

	if (bytes < 0)
		bytes = 0;
	if (bytes > (long)sizeof(s->frame))
		bytes = sizeof(s->frame);
	s->n_frames = (__u16)(bytes / sizeof(s->frame[0]));
	return BYTES_WITHOUT_FRAMES + (__u32)bytes;
}

SEC("iter/task")
int thread_look(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread_sample *s = &sample;
	__u64 switches, *seen;
	__u32 bytes = HEAD_BYTES;

	if (!task || task->exit_state || task->flags & PF_EXITING_)
		return 0;
	s->pid = task->tgid;
	s->tid = task->pid;
	s->state = state_of(task);
	s->n_frames = 0;
	if (s->state != THREAD_ASLEEP) {
		bpf_seq_write(ctx->meta->seq, s, HEAD_BYTES);
		return 0;
	}
	switches = task->nvcsw + task->nivcsw;
	seen = bpf_task_storage_get(&threads_seen, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (seen && *seen == switches) {
		s->state = THREAD_STAYED;
		bpf_seq_write(ctx->meta->seq, s, HEAD_BYTES);
		return 0;
	}
	s->in_iowait = BPF_CORE_READ_BITFIELD(task, in_iowait);
	add_call(s, task);
	bytes = add_frames(s, task);
	asm volatile("" : "+r"(bytes)); /* or the 6.1 verifier loses the bound */
	if (bytes > sizeof(*s))
		return 0;
	/* Where the buffer is full, the kernel drops this and comes again with the next read(). */
	if (!bpf_seq_write(ctx->meta->seq, s, bytes) && seen)
		*seen = switches;
	return 0;
}

/*
 * The name of the function that an address is in, which the kernel tells whatever may be read of
 * /proc/kallsyms, of modules that come later, too.
 */
__u64 function_address;
char function_name[FUNCTION_LEN];

SEC("syscall")
int name_function(void *ctx)
{
	__u64 address = function_address;

	BPF_SNPRINTF(function_name, sizeof(function_name), "%ps", address);
	return 0;
}
