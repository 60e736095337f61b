// Package sandbox denies system calls to the test's own process, like the seccomp filters of
// containers and services. So a test can check how a program behaves without these calls.
package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Call describes a system call: every call of that number, or only those with one of Flags set in
// an argument.
type Call struct {
	Number uintptr
	Arg    int    // index of the argument with Flags, from 0
	Flags  uint32 // 0 means every call of the number
}

// Deny makes a call fail with errno from now on, in every thread of the process and in the
// programs it executes. It needs no privileges and cannot be undone.
func Deny(c Call, errno unix.Errno) error {
	load := func(off uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: off}
	}
	jump := func(how uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, K: k, Jt: yes, Jf: no}
	}
	answer := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	fits := jump(unix.BPF_JSET, c.Flags, 1, 0)
	if c.Flags == 0 {
		fits = jump(unix.BPF_JA, 1, 0, 0)
	}
	// struct seccomp_data holds the number of the call at 0 and its arguments from 16 on.
	filter := []unix.SockFilter{
		load(0),
		jump(unix.BPF_JEQ, uint32(c.Number), 0, 2),
		load(uint32(16 + 8*c.Arg)),
		fits,
		answer(unix.SECCOMP_RET_ALLOW),
		answer(unix.SECCOMP_RET_ERRNO | uint32(errno)),
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread() // PR_SET_NO_NEW_PRIVS is needed on the thread that installs the filter
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	thread, _, err := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(filter)
	if err != 0 {
		return fmt.Errorf("filter system calls: %w", err)
	}
	if thread != 0 {
		return fmt.Errorf("filter system calls: thread %d has a filter of its own", thread)
	}
	return nil
}
