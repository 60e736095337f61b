package wall

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// waitInCall refines what a thread waits for by the system call that it is in.
func (t *tree) waitInCall(p *process, c proc.Call, w waiting) waiting {
	fd := int(int32(c.Args[0]))
	if kind, known := oldCalls[c.Number]; known {
		return t.waitInPoll(p, c, w, kind)
	}
	switch c.Number {
	case unix.SYS_READ, unix.SYS_READV, unix.SYS_PREAD64, unix.SYS_PREADV, unix.SYS_RECVFROM, unix.SYS_RECVMSG,
		unix.SYS_RECVMMSG, unix.SYS_ACCEPT4:
		return t.waitOn(p, fd, false, w)
	case unix.SYS_WRITE, unix.SYS_WRITEV, unix.SYS_PWRITE64, unix.SYS_PWRITEV, unix.SYS_SENDTO, unix.SYS_SENDMSG,
		unix.SYS_SENDMMSG, unix.SYS_CONNECT:
		return t.waitOn(p, fd, true, w)
	case unix.SYS_SPLICE, unix.SYS_TEE, unix.SYS_SENDFILE, unix.SYS_COPY_FILE_RANGE:
		return t.waitInCopy(p, c, w)
	case unix.SYS_PPOLL, unix.SYS_PSELECT6, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2:
		return t.waitInPoll(p, c, w, c.Number)
	case unix.SYS_FUTEX:
		w.kind, w.timed = sibling, c.Args[3] != 0
	case unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP:
		w.kind, w.end = outside, asleep
	case unix.SYS_OPENAT: // of a named pipe
		if c.Args[2]&unix.O_ACCMODE == unix.O_WRONLY {
			w.end = onOutput
		}
	case unix.SYS_RT_SIGTIMEDWAIT:
		if c.Args[2] != 0 {
			w.end = asleep // unless a child is to send the signal
		}
	case unix.SYS_WAIT4, unix.SYS_WAITID, unix.SYS_CLONE:
		w.kind, w.end = child, between
	case unix.SYS_FLOCK, unix.SYS_FCNTL:
		w.kind, w.end = outside, onLock
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_SYNC, unix.SYS_SYNCFS, unix.SYS_MSYNC, unix.SYS_IO_GETEVENTS,
		unix.SYS_IO_URING_ENTER:
		w.kind, w.end = outside, onStorage
	}
	return w
}

// waitInCopy handles calls that copy from one descriptor to another: the one that is a pipe or a
// socket, and which the function of the kernel names, is waited for.
func (t *tree) waitInCopy(p *process, c proc.Call, w waiting) waiting {
	in, out := int(int32(c.Args[0])), int(int32(c.Args[2]))
	switch c.Number {
	case unix.SYS_SENDFILE:
		in, out = int(int32(c.Args[1])), int(int32(c.Args[0]))
	case unix.SYS_TEE:
		out = int(int32(c.Args[1]))
	}
	if strings.Contains(w.name, "write") || strings.Contains(w.name, "opipe") ||
		strings.Contains(w.name, "stream_wait_memory") {
		return t.waitOn(p, out, true, w)
	}
	return t.waitOn(p, in, false, w)
}

// waitOn returns what a thread waits for that reads or writes a descriptor.
func (t *tree) waitOn(p *process, fd int, writes bool, w waiting) waiting {
	var s unix.Stat_t
	name := fmt.Sprintf("/proc/%d/fd/%d", p.pid, fd)
	if err := unix.Stat(name, &s); err != nil {
		return w
	}
	far := onInput
	if writes {
		far = onOutput
	}
	w.kind, w.writes = outside, writes
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		w.kind, w.inode, w.end = pipe, s.Ino, far
	case unix.S_IFSOCK:
		w.end, w.inode = onNetwork, s.Ino
		if t.isLocal(p, s.Ino) {
			w.kind, w.end = anywhere, far
		}
	case unix.S_IFCHR:
		w.end = far
	case unix.S_IFREG, unix.S_IFBLK, unix.S_IFDIR:
		w.end = onStorage
	default:
		w = t.waitOnNothing(name, w)
	}
	return w
}

// waitOnNothing handles descriptors that are no file, such as timers and counters of events.
func (t *tree) waitOnNothing(name string, w waiting) waiting {
	what, err := os.Readlink(name)
	w.end = onUnknown
	switch {
	case err != nil:
	case strings.Contains(what, "timerfd"):
		w.end = asleep
	case strings.Contains(what, "eventfd"), strings.Contains(what, "io_uring"):
		w.kind = sibling
	case strings.Contains(what, "inotify"), strings.Contains(what, "fanotify"):
		w.end = onInput
	case strings.Contains(what, "pidfd"), strings.Contains(what, "signalfd"):
		w.kind = child
	}
	return w
}

// socketsAge is how often the system is asked for all local sockets, of which there may be many.
const socketsAge = 50 * time.Millisecond

// isLocal reports whether a socket connects processes of this machine.
func (t *tree) isLocal(p *process, inode uint64) bool {
	if local, known := t.sockets[inode]; known {
		return local
	}
	if t.now.Sub(t.asked) < socketsAge {
		return false
	}
	t.asked = t.now
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/unix", p.pid))
	if err != nil {
		return false
	}
	t.sockets[inode] = false
	// The fields are the address, references, protocol, flags, type, state, inode and path.
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) >= 7 {
			if i, err := strconv.ParseUint(fields[6], 10, 64); err == nil {
				t.sockets[i] = true
			}
		}
	}
	return t.sockets[inode]
}

// waitInPoll returns what a thread waits for that waits for several descriptors at once, or for time
// to pass.
func (t *tree) waitInPoll(p *process, c proc.Call, w waiting, kind int64) waiting {
	var list []waiting
	timed, ok := false, false
	switch kind {
	case unix.SYS_PPOLL:
		timed = c.Args[2] != 0
		if c.Number != unix.SYS_PPOLL {
			timed = int32(c.Args[2]) >= 0
		}
		list, ok = t.polled(p, c, w)
	case unix.SYS_PSELECT6:
		timed = c.Args[4] != 0
		list, ok = t.selected(p, c, w)
	case unix.SYS_EPOLL_PWAIT:
		timed = int32(c.Args[3]) >= 0
		list, ok = t.watchedBy(p, int(int32(c.Args[0])), w)
	case unix.SYS_EPOLL_PWAIT2:
		timed = c.Args[3] != 0
		list, ok = t.watchedBy(p, int(int32(c.Args[0])), w)
	}
	var useful []waiting
	for _, one := range list {
		if one.kind != sibling && !t.ownBoth(p, one) {
			useful = append(useful, one)
		}
	}
	switch {
	case len(useful) > 0:
		w.kind, w.more = several, useful
	case !ok:
		w.kind, w.end = outside, onUnknown
	case timed:
		w.kind, w.end = outside, asleep
	default:
		w.kind = sibling
	}
	return w
}

// ownBoth reports whether both ends of a pipe or of a local connection belong to the process: then it is for waking
// its own event loop.
func (t *tree) ownBoth(p *process, w waiting) bool {
	peer := w.inode
	switch w.kind {
	case pipe:
	case anywhere:
		peer = localPeer(w.inode)
	default:
		return false
	}
	if !slices.ContainsFunc(p.pipes, func(e pipeEnd) bool { return e.inode == w.inode }) {
		t.readPipes(p) // it has been opened since
	}
	return slices.ContainsFunc(p.pipes, func(e pipeEnd) bool {
		return e.inode == peer && (w.kind == anywhere || w.writes && e.read || !w.writes && e.write)
	})
}

// polledMax bounds the descriptors of a call that are looked at.
const polledMax = 64

// polled reads the argument of poll from the memory of the process: for each descriptor its number in
// 4 bytes, and what to wait for in 2 of the next 4.
func (t *tree) polled(p *process, c proc.Call, w waiting) (list []waiting, ok bool) {
	n := int(min(c.Args[1], polledMax))
	memory, ok := t.peek(p, c.Args[0], 8*n)
	for i := 0; ok && i < n; i++ {
		fd := int(int32(binary.NativeEndian.Uint32(memory[8*i:])))
		events := binary.NativeEndian.Uint16(memory[8*i+4:])
		// What wants to write as well has something to send: that is what it waits for.
		if fd >= 0 && events&(unix.POLLIN|unix.POLLOUT) != 0 {
			list = append(list, t.waitOn(p, fd, events&unix.POLLOUT != 0, w))
		}
	}
	return list, ok
}

// selected reads the bit sets of select.
func (t *tree) selected(p *process, c proc.Call, w waiting) (list []waiting, ok bool) {
	n := int(min(c.Args[0], 1024))
	for _, set := range []int{2, 1} { // writing first, as in polled
		writes := set == 2
		if c.Args[set] == 0 || n == 0 {
			continue
		}
		memory, readable := t.peek(p, c.Args[set], (n+63)/64*8)
		if !readable {
			return list, false
		}
		for fd := 0; fd < n && len(list) < polledMax; fd++ {
			if memory[fd/8]>>(fd%8)&1 != 0 {
				list = append(list, t.waitOn(p, fd, writes, w))
			}
		}
	}
	return list, true
}

// watchedBy reads which descriptors an epoll waits for: lines like "tfd: 5 events: 19 data: ...".
func (t *tree) watchedBy(p *process, fd int, w waiting) (list []waiting, ok bool) {
	text := t.readOnce(fmt.Sprintf("/proc/%d/fdinfo/%d", p.pid, fd))
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[0] != "tfd:" || len(list) == polledMax {
			continue
		}
		target, err1 := strconv.Atoi(fields[1])
		events, err2 := strconv.ParseUint(fields[3], 16, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		if events&(unix.EPOLLIN|unix.EPOLLOUT) != 0 {
			list = append(list, t.waitOn(p, target, events&unix.EPOLLIN == 0, w))
		}
	}
	return list, text != ""
}

// peek reads memory of the process, which does not notice.
func (t *tree) peek(p *process, address uint64, n int) ([]byte, bool) {
	if n == 0 {
		return nil, true
	}
	memory := make([]byte, n)
	local := []unix.Iovec{{Base: &memory[0]}}
	local[0].SetLen(n)
	got, err := unix.ProcessVMReadv(p.pid, local, []unix.RemoteIovec{{Base: uintptr(address), Len: n}}, 0)
	return memory, err == nil && got == n
}

// findPipes finds out which pipes the processes have open, if a thread waits on one.
func (t *tree) findPipes() {
	var wanted []uint64
	for _, p := range t.list {
		for _, th := range p.threads {
			wanted = append(wanted, pipesOf(th.task)...)
		}
	}
	if len(wanted) == 0 {
		return
	}
	for _, p := range t.list {
		if t.now.Sub(p.pipesAt) >= pipesAge || t.age-p.born < 4 {
			t.readPipes(p)
		}
	}
}

// pipesOf returns the pipes that a task waits for.
func pipesOf(k task) (inodes []uint64) {
	if k.state == 'R' {
		return nil
	}
	if k.wait.kind == pipe {
		inodes = append(inodes, k.wait.inode)
	}
	for _, one := range k.wait.more {
		if one.kind == pipe {
			inodes = append(inodes, one.inode)
		}
	}
	return inodes
}

// readPipes finds out which pipes and sockets a process has open. The permissions of the link to a descriptor say
// whether it is open for reading and writing.
func (t *tree) readPipes(p *process) {
	p.pipesAt = t.now
	p.pipes = p.pipes[:0]
	folder := fmt.Sprintf("/proc/%d/fd", p.pid)
	f, err := proc.Open(folder)
	if err != nil {
		return // it has ended, or belongs to another user
	}
	defer f.Close()
	t.numbers, _ = f.AppendNumbered(t.numbers[:0], t.buf)
	for _, fd := range t.numbers[:min(len(t.numbers), descriptors)] {
		var to, link unix.Stat_t
		name := path.Join(folder, strconv.Itoa(fd))
		if unix.Stat(name, &to) != nil || unix.Lstat(name, &link) != nil {
			continue
		}
		if kind := to.Mode & unix.S_IFMT; kind != unix.S_IFIFO && kind != unix.S_IFSOCK {
			continue
		}
		p.pipes = append(p.pipes, pipeEnd{inode: to.Ino, read: link.Mode&0o400 != 0, write: link.Mode&0o200 != 0})
	}
}

// hugePages returns how many huge pages the system has given to faults, from /proc/vmstat.
func hugePages(f proc.File, buf []byte) int64 {
	text, err := f.Read(buf)
	_, rest, found := bytes.Cut(text, []byte("thp_fault_alloc "))
	if err != nil || !found {
		return 0
	}
	if n := proc.AppendNumbers(nil, rest[:min(len(rest), 20)]); len(n) > 0 {
		return int64(n[0])
	}
	return 0
}

// pressure returns how long some process has waited for memory.
func pressure(f proc.File, buf []byte) (time.Duration, error) {
	text, err := f.Read(buf)
	if err != nil {
		return 0, err
	}
	return proc.ParsePressure(text)
}

// faultSeconds measures what the kernel takes for a fault of a fresh page, in seconds of processor time: a quarter
// of a microsecond on some machines, and ten times as much in some virtual ones. It returns 0 if it cannot.
func faultSeconds() float64 {
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	const pages, tries = 64, 2
	pageBytes := os.Getpagesize()
	least := 0.0
	for range tries {
		fresh, err := unix.Mmap(-1, 0, pages*pageBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			return 0
		}
		_ = unix.Madvise(fresh, unix.MADV_NOHUGEPAGE) // a kernel without huge pages refuses
		began := proc.ThreadTime()
		for i := 0; i < len(fresh); i += pageBytes {
			fresh[i] = 1
		}
		each := (proc.ThreadTime() - began).Seconds() / pages
		if least == 0 || each < least {
			least = each
		}
		if unix.Munmap(fresh) != nil {
			return 0
		}
	}
	return least
}
