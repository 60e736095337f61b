// Package sandbox denies system calls to a test's own process, as the filters of containers
// and services do, so that a test sees what becomes of a program without them.
package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Call is a system call, or those of a number that have one of the flags in an argument.
type Call struct {
	Number uintptr
	Arg    int    // the argument that Flags are looked for in, from 0
	Flags  uint32 // 0: every call of the number
}

// Deny has a call answer with an error from now on, in every thread of the process and in
// what it executes. It needs no rights and cannot be undone.
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
	runtime.LockOSThread() // who may install a filter is a matter of the thread
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
