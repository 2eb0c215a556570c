// SPDX-License-Identifier: BSD-2-Clause
/* The table of what the kernel's functions say of a thread that sleeps in them. */
#include "wait_reasons.h"

#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

/* Not a reason: the futex says which (below). */
#define FUTEX WAIT_REASONS

/*
 * From above to below: the first row of which a function is anywhere in the stack says what the thread
 * waits for. So swapping in is memory though it ends in io_schedule(), a lock inside of a write is a lock,
 * and what a network file system waits for is the network. Functions are not static in the kernel, as a
 * rule, for those may have become part of others; what the compiler adds to a name (".isra.0") is cut off.
 */
static const struct {
	int reason;
	const char *functions;
} rows[] = {
	{WAIT_STOPPED, "do_signal_stop ptrace_stop do_freezer_trap __refrigerator"},

	/* Reclaim, swapping, compaction, limits of memory groups; the wait for dirty pages is the disk's. */
	{WAIT_MEMORY,
	 "do_swap_page swapin_readahead swap_read_folio swap_readpage try_to_free_pages "
	 "try_to_free_mem_cgroup_pages shrink_node shrink_lruvec reclaim_throttle "
	 "__mem_cgroup_handle_over_high mem_cgroup_handle_over_high mem_cgroup_oom_synchronize "
	 "out_of_memory __alloc_pages_direct_compact try_to_compact_pages compact_zone "
	 "migration_entry_wait migration_entry_wait_on_locked do_huge_pmd_numa_page "
	 "mempool_alloc mempool_alloc_noprof"},

	/* Sleeping locks of the kernel, of files and of pages of memory (mmap_lock). */
	{WAIT_LOCK,
	 "futex_lock_pi rwsem_down_read_slowpath rwsem_down_write_slowpath down_read down_write "
	 "down_read_killable down_write_killable mutex_lock mutex_lock_interruptible "
	 "mutex_lock_killable __mutex_lock __mutex_lock_slowpath ww_mutex_lock "
	 "ww_mutex_lock_interruptible down down_interruptible down_killable down_timeout "
	 "__down_common percpu_rwsem_wait percpu_down_write __percpu_down_read rt_mutex_lock "
	 "rt_mutex_slowlock rtlock_slowlock rtlock_slowlock_locked rt_spin_lock "
	 "locks_lock_inode_wait fcntl_setlk __break_lease __lock_sock lock_sock_nested"},

	{FUTEX, "futex_wait futex_wait_queue futex_wait_queue_me futex_do_wait do_futex"},

	/* Room in a socket, an answer of another server: what a server's threads do not do when idle.
	 * To wait for the other side to say something is below, for it may have nothing to ask. */
	{WAIT_NETWORK,
	 "sk_stream_wait_memory sk_stream_wait_connect sk_stream_wait_close sock_alloc_send_pskb "
	 "sock_wait_for_wmem __inet_stream_connect inet_stream_connect unix_stream_sendmsg "
	 "unix_dgram_sendmsg rpc_wait_bit_killable __rpc_execute rpc_execute rpc_run_task "
	 "rpc_call_sync nfs_file_read nfs_file_write nfs_file_fsync nfs_wb_all nfs_wb_folio "
	 "nfs_wait_bit_killable nfs_sync_inode ceph_osdc_wait_request ceph_mdsc_wait_request "
	 "ceph_mdsc_do_request ptlrpc_queue_wait ptlrpc_set_wait cifs_call_async cifs_send_recv "
	 "rdma_resolve_addr smb2_send_recv"},

	/* Requests, pages under way, journals, room in a queue, dirty pages that must be written first;
	 * a file system in user space, which answers for its disk. */
	{WAIT_DISK,
	 "io_schedule io_schedule_timeout blk_io_schedule submit_bio_wait blk_execute_rq "
	 "blkdev_issue_flush blk_mq_get_tag blk_mq_freeze_queue_wait __bio_queue_enter "
	 "blk_queue_enter rq_qos_wait wbt_wait blk_throtl_bio inode_dio_wait __iomap_dio_rw "
	 "iomap_dio_rw __blockdev_direct_IO folio_wait_bit folio_wait_bit_killable "
	 "folio_wait_writeback folio_wait_stable __folio_lock __folio_lock_killable "
	 "filemap_fdatawait_range file_write_and_wait_range __wait_on_buffer __lock_buffer "
	 "balance_dirty_pages balance_dirty_pages_ratelimited "
	 "balance_dirty_pages_ratelimited_flags wb_wait_for_completion sync_inodes_sb "
	 "writeback_inodes_sb start_this_handle jbd2__journal_start jbd2_log_wait_commit "
	 "jbd2_complete_transaction jbd2_journal_stop wait_transaction_locked xfs_log_force "
	 "xfs_log_force_seq xlog_cil_force_seq xlog_wait_on_iclog xfs_buf_iowait xfs_log_reserve "
	 "xfs_trans_reserve btrfs_sync_file btrfs_wait_ordered_range btrfs_commit_transaction "
	 "btrfs_start_ordered_extent zil_commit txg_wait_synced txg_wait_open dmu_tx_wait "
	 "zio_wait cv_wait_io __cv_wait_io dm_wait_for_completion md_write_start md_flush_request "
	 "raid5_make_request raid10_make_request raid1_make_request nvme_submit_sync_cmd "
	 "scsi_execute_cmd fuse_simple_request __fuse_simple_request fuse_file_write_iter "
	 "fuse_file_read_iter fuse_direct_io"},

	/* Waits for work, for a time, for somebody to say something. Not even a blocking read of a socket
	 * is known to be more than that. */
	{WAIT_IDLE,
	 "do_epoll_wait ep_poll do_epoll_pwait do_sys_poll do_select core_sys_select do_nanosleep "
	 "hrtimer_nanosleep common_nsleep common_nsleep_timens do_wait kernel_wait4 kernel_waitid "
	 "__do_sys_pause __x64_sys_pause sigsuspend do_sigtimedwait pipe_read anon_pipe_read "
	 "pipe_write anon_pipe_write fifo_open pipe_wait_readable sk_wait_data "
	 "inet_csk_accept inet_accept do_accept __skb_wait_for_more_packets __skb_recv_datagram "
	 "skb_recv_datagram tcp_recvmsg tcp_recvmsg_locked unix_stream_read_generic "
	 "unix_stream_recvmsg unix_accept netlink_recvmsg sock_recvmsg io_cqring_wait "
	 "io_wq_worker io_sq_thread read_events do_io_getevents eventfd_read signalfd_read "
	 "signalfd_read_iter timerfd_read timerfd_read_iter inotify_read fanotify_read "
	 "do_msgrcv do_mq_timedreceive do_semtimedop __do_semtimedop n_tty_read tty_read "
	 "worker_thread rescuer_thread kthread_worker_fn smpboot_thread_fn kthreadd svc_recv "
	 "ptlrpc_main fuse_dev_read fuse_dev_splice_read vhost_worker vhost_task_fn "
	 "do_exit do_coredump"},
};

#define ROWS ((int)(sizeof(rows) / sizeof(*rows)))

/* Where stacks start: the entries of system calls, faults and interrupts, and of new threads. */
static const char starts[] =
	"entry_SYSCALL_64_after_hwframe entry_SYSCALL_compat_after_hwframe entry_INT80_compat "
	"entry_SYSENTER_compat_after_hwframe asm_int80_emulation asm_fred_entrypoint_user "
	"asm_exc_page_fault asm_exc_general_protection asm_sysvec_apic_timer_interrupt "
	"asm_sysvec_reschedule_ipi asm_common_interrupt asm_sysvec_call_function_single "
	"asm_sysvec_call_function error_entry ret_from_fork ret_from_fork_asm el0t_64_sync "
	"el0t_32_sync el0t_64_irq el0t_32_irq el0t_64_error";

/* Whether a function, up to what the compiler or a module adds to its name, is among them. */
static bool among(const char *words, const char *function)
{
	size_t len = strcspn(function, ". ");

	for (const char *w = words; len && *w; w += strspn(w, " ")) {
		size_t n = strcspn(w, " ");

		if (n == len && !memcmp(w, function, len))
			return true;
		w += n;
	}
	return false;
}

uint8_t wait_says(const char *function)
{
	for (int i = 0; i < ROWS; i++)
		if (among(rows[i].functions, function))
			return (uint8_t)i;
	return WAIT_SAYS_NOTHING;
}

bool wait_is_futex(uint8_t says)
{
	return says < ROWS && rows[says].reason == FUTEX;
}

bool wait_starts(const char *function)
{
	return among(starts, function);
}

/*
 * Of a futex the kernel knows the word, not what it is for. What libraries write into it tells: glibc and
 * Go wait for a mutex until it is no longer 2, musl and robust mutexes until it is no longer a thread's
 * number with the bit of waiters, glibc's read-write locks with 3 in any of their words. Condition
 * variables (glibc waits for 0, or another even number, by FUTEX_WAIT_BITSET), semaphores, joins and
 * barriers are waits for work as far as anybody can tell. So is what parks on them: a contended monitor of
 * Java, a mutex of Go's goroutines.
 */
#define CMD_MASK	   0x7f
#define FUTEX_WAIT_	   0
#define FUTEX_LOCK_PI_	   6
#define FUTEX_WAIT_BITSET_ 9
#define FUTEX_LOCK_PI2_	   13
#define FUTEX_WAITERS_	   0x80000000U
#define MUTEX_CONTENDED	   2 /* of glibc's lowlevellock.h, of Go's lock_futex.go */
#define RWLOCK_CONTENDED   3 /* 1 | PTHREAD_RWLOCK_FUTEX_USED */

static enum wait_reason reason_of_futex(const struct thread_sample *s)
{
	uint32_t value = (uint32_t)s->arg3;

	if (s->call != SYS_futex)
		return s->call < 0 ? WAIT_UNKNOWN : WAIT_IDLE;
	switch (s->arg2 & CMD_MASK) {
	case FUTEX_LOCK_PI_:
	case FUTEX_LOCK_PI2_: return WAIT_LOCK;
	case FUTEX_WAIT_:
		return value == MUTEX_CONTENDED || value & FUTEX_WAITERS_ ? WAIT_LOCK : WAIT_IDLE;
	case FUTEX_WAIT_BITSET_: return value == RWLOCK_CONTENDED ? WAIT_LOCK : WAIT_IDLE;
	}
	return WAIT_IDLE;
}

enum wait_reason wait_reason_of(const struct thread_sample *s, uint8_t says, bool whole)
{
	if (!whole)
		return WAIT_UNKNOWN;
	if (says < ROWS && rows[says].reason != FUTEX)
		return (enum wait_reason)rows[says].reason;
	if (says < ROWS)
		return reason_of_futex(s);
	/* The kernel's own book-keeping, of what the table does not have. */
	return s->in_iowait ? WAIT_DISK : WAIT_UNKNOWN;
}
