package wall

import "golang.org/x/sys/unix"

// oldCalls are system calls that newer processors' ports do without, and the calls that have the same
// arguments, as far as they are looked at.
var oldCalls = map[int64]int64{
	unix.SYS_POLL:       unix.SYS_PPOLL,
	unix.SYS_SELECT:     unix.SYS_PSELECT6,
	unix.SYS_EPOLL_WAIT: unix.SYS_EPOLL_PWAIT,
}
