package wall

import "strings"

// function says what a thread waits for that sleeps in a function of the kernel.
type function struct {
	name string // or what it begins with, if it ends with a star
	wait waiting
	ask  bool // the system call says more
}

// functions are names that /proc/PID/wchan shows. They differ from release to release of the kernel;
// for those that are not here the system call that the thread is in decides.
var functions = []function{
	{"do_wait", waiting{kind: child, end: between}, false},
	{"kernel_wait4", waiting{kind: child, end: between}, false},
	{"kernel_waitid*", waiting{kind: child, end: between}, false},
	{"wait_for_vfork_done", waiting{kind: child, end: between}, false},
	{"kernel_clone", waiting{kind: child, end: between}, false}, // vfork
	{"hrtimer_nanosleep", waiting{end: asleep}, false},
	{"do_nanosleep", waiting{end: asleep}, false},
	{"futex_*", waiting{kind: sibling}, true}, // with a time limit?
	{"__futex_wait", waiting{kind: sibling}, true},
	{"flock_lock_inode*", waiting{end: onLock}, false},
	{"locks_lock_inode*", waiting{end: onLock}, false},
	{"posix_lock_inode*", waiting{end: onLock}, false},
	{"fcntl_setlk*", waiting{end: onLock}, false},
	{"do_lock_file_wait", waiting{end: onLock}, false},
	{"rwsem_down_*", waiting{end: onLock}, false},
	{"pipe_read", waiting{kind: pipe, end: onInput}, true},
	{"pipe_write", waiting{kind: pipe, end: onOutput, writes: true}, true},
	{"anon_pipe_read", waiting{kind: pipe, end: onInput}, true},
	{"anon_pipe_write", waiting{kind: pipe, end: onOutput, writes: true}, true},
	{"wait_for_partner", waiting{end: onInput}, false}, // opens a named pipe
	{"n_tty_read", waiting{end: onInput}, false},
	{"n_tty_write", waiting{end: onOutput}, false},
	{"unix_stream_read_*", waiting{kind: anywhere, end: onInput}, false},
	{"unix_stream_data_wait", waiting{kind: anywhere, end: onInput}, false},
	{"unix_accept", waiting{kind: anywhere, end: onInput}, false},
	{"unix_wait_for_peer", waiting{kind: anywhere, end: onOutput}, false},
	{"sock_alloc_send_pskb", waiting{kind: anywhere, end: onOutput}, false},
	{"tcp_recvmsg*", waiting{end: onNetwork}, true}, // on which socket?
	{"sk_wait_data", waiting{end: onNetwork}, true},
	{"sk_stream_wait_*", waiting{end: onNetwork}, true},
	{"inet_csk_accept", waiting{end: onNetwork}, true},
	{"inet_wait_for_connect", waiting{end: onNetwork}, true},
	{"__inet_stream_connect", waiting{end: onNetwork}, true},
	{"balance_dirty_pages*", waiting{end: onStorage}, false},
	{"mem_cgroup_handle_over_high", waiting{end: onMemory}, false},
	{"__mem_cgroup_handle_over_high", waiting{end: onMemory}, false},
	{"throttle_direct_reclaim", waiting{end: onMemory}, false},
	{"reclaim_throttle", waiting{end: onMemory}, false},
	{"shrink_*", waiting{end: onMemory}, false},
	{"io_cqring_wait*", waiting{end: onStorage}, false},
	{"read_events", waiting{end: onStorage}, false},
	{"do_signal_stop", waiting{end: stopped}, false},
	{"ptrace_stop", waiting{end: stopped}, false},
	{"sigsuspend", waiting{kind: child, end: onUnknown}, false},
	{"do_sigtimedwait", waiting{kind: child, end: onUnknown}, false},
}

// waitOf returns what a thread waits for by the function that it sleeps in. It reports false if the
// system call must decide, or can say more.
func waitOf(name string, state byte) (w waiting, sure bool) {
	name, _, _ = strings.Cut(name, ".") // a compiler may add .isra.0 or .constprop.0
	for _, f := range functions {
		prefix, isPrefix := strings.CutSuffix(f.name, "*")
		if name == f.name || isPrefix && strings.HasPrefix(name, prefix) {
			w = f.wait
			w.name = name
			return w, !f.ask
		}
	}
	w.name = name
	switch state {
	case 'T', 't':
		w.end = stopped
		return w, true
	case 'D':
		w.end = onStorage
		return w, name != unnamed
	}
	w.end = onUnknown
	return w, false
}

// unnamed is what wchan says of a thread that runs, has just begun to sleep or been woken, or that
// this process may not look at.
const unnamed = "0"
