package uring

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What follows is from the kernel's include/uapi/linux/io_uring.h.
const (
	setupCoopTaskrun  = 1 << 8
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13

	featSingleMmap = 1 << 0
	featRWCurPos   = 1 << 3 // came with IORING_OP_READ, in 5.6

	offSQRing = 0
	offSQEs   = 0x10000000

	enterGetEvents = 1 << 0

	opReadFixed = 4
	opRead      = 22

	sqeFixedFile = 1 << 0

	registerBuffers = 0
	registerFiles   = 2
)

type params struct {
	sqEntries, cqEntries, flags, sqThreadCPU, sqThreadIdle, features, wqFD uint32
	_                                                                      [3]uint32
	sq                                                                     sqOffsets
	cq                                                                     cqOffsets
}

type sqOffsets struct {
	head, tail, mask, entries, flags, dropped, array, _ uint32
	_                                                   uint64
}

type cqOffsets struct {
	head, tail, mask, entries, overflow, cqes, flags, _ uint32
	_                                                   uint64
}

type sqe struct {
	opcode   uint8
	flags    uint8
	_        uint16
	fd       int32
	off      uint64
	addr     uint64
	len      uint32
	_        uint32
	userData uint64
	bufIndex uint16
	_        [3]uint16
	_        [2]uint64
}

type cqe struct {
	userData uint64
	res      int32
	flags    uint32
}

// setups is the ladder of flags, best first; a kernel that does not know one of them
// answers EINVAL. With the first (6.1) completions are worked off only when this thread
// asks for them, with the second (5.19) at least without interrupting it.
var setups = [...]uint32{setupSingleIssuer | setupDeferTaskrun, setupCoopTaskrun, 0}

// ring is one io_uring. It belongs to the thread that made it.
type ring struct {
	fd       int
	rings    []byte // the memory of both rings, shared with the kernel
	sqeBytes []byte
	sqes     []sqe
	cqes     []cqe
	sqTail   *uint32
	cqHead   *uint32
	cqTail   *uint32
	prepared uint32 // entries that the kernel has not been told about
	inFlight uint32 // entries that it has been told about and that are not complete
}

// newRing returns a ring for so many entries in flight. The caller's goroutine must be
// locked to its thread until the ring is closed.
func newRing(entries int) (*ring, error) {
	var p params
	var fd int
	var errno unix.Errno
	for _, flags := range setups {
		p = params{flags: flags}
		fd, errno = setup(uint32(entries), &p)
		if errno != unix.EINVAL {
			break
		}
	}
	if errno != 0 {
		return nil, errno
	}
	r := &ring{fd: fd}
	if p.features&featSingleMmap == 0 || p.features&featRWCurPos == 0 {
		return nil, errors.Join(errOldKernel, r.close())
	}
	if err := r.mapMemory(&p); err != nil {
		return nil, errors.Join(fmt.Errorf("map the ring: %w", err), r.close())
	}
	return r, nil
}

var errOldKernel = errors.New("the kernel is older than 5.6")

func setup(entries uint32, p *params) (int, unix.Errno) {
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(entries),
		uintptr(unsafe.Pointer(p)), 0)
	return int(fd), errno
}

func (r *ring) mapMemory(p *params) (err error) {
	const prot, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_POPULATE
	bytes := max(p.sq.array+4*p.sqEntries,
		p.cq.cqes+p.cqEntries*uint32(unsafe.Sizeof(cqe{})))
	if r.rings, err = unix.Mmap(r.fd, offSQRing, int(bytes), prot, flags); err != nil {
		return err
	}
	bytes = p.sqEntries * uint32(unsafe.Sizeof(sqe{}))
	if r.sqeBytes, err = unix.Mmap(r.fd, offSQEs, int(bytes), prot, flags); err != nil {
		return err
	}
	word := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.rings[off])) }
	r.sqTail, r.cqHead, r.cqTail = word(p.sq.tail), word(p.cq.head), word(p.cq.tail)
	r.sqes = unsafe.Slice((*sqe)(unsafe.Pointer(&r.sqeBytes[0])), p.sqEntries)
	r.cqes = unsafe.Slice((*cqe)(unsafe.Pointer(&r.rings[p.cq.cqes])), p.cqEntries)
	// Entries are used in the order in which they lie, so the index array never changes.
	for i := range p.sqEntries {
		*word(p.sq.array + 4*i) = i
	}
	return nil
}

// register gives the kernel something to look at once and not with every read.
func (r *ring) register(what uintptr, list unsafe.Pointer, n int) error {
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), what,
		uintptr(list), uintptr(n), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// prepare adds an entry. There is room as long as no more are in flight than the ring was
// made for.
func (r *ring) prepare(e sqe) {
	tail := *r.sqTail // only this thread writes it
	r.sqes[tail&uint32(len(r.sqes)-1)] = e
	atomic.StoreUint32(r.sqTail, tail+1)
	r.prepared++
}

// submit hands over what was prepared, and waits for a completion if it shall. Submission
// may sleep as well, when the device takes no more requests, so this is a system call that
// the scheduler knows of.
func (r *ring) submit(wait bool) error {
	for tries := 0; ; tries++ {
		var least uintptr
		if wait && r.prepared+r.inFlight > 0 {
			least = 1
		}
		n, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(r.fd),
			uintptr(r.prepared), least, enterGetEvents, 0, 0)
		switch {
		case errno == 0:
			r.prepared -= uint32(n)
			r.inFlight += uint32(n)
			return nil
		case errno == unix.EINTR:
		case (errno == unix.EAGAIN || errno == unix.EBUSY) && r.inFlight > 0 && r.completed():
			return nil // the caller makes room by taking the completions
		case (errno == unix.EAGAIN || errno == unix.EBUSY) && tries < submitTriesMax:
			time.Sleep(time.Millisecond) // the kernel is short of memory
		default:
			return fmt.Errorf("io_uring_enter: %w", errno)
		}
	}
}

const submitTriesMax = 1000

func (r *ring) completed() bool { return *r.cqHead != atomic.LoadUint32(r.cqTail) }

// take returns the next completion, if there is one.
func (r *ring) take() (c cqe, ok bool) {
	if !r.completed() {
		return c, false
	}
	head := *r.cqHead // only this thread writes it
	c = r.cqes[head&uint32(len(r.cqes)-1)]
	atomic.StoreUint32(r.cqHead, head+1)
	r.inFlight--
	return c, true
}

// drain waits until the kernel writes to no buffer any more. What was prepared and not
// handed over never will be.
func (r *ring) drain() error {
	for r.prepared = 0; r.inFlight > 0; {
		if err := r.submit(true); err != nil {
			return err
		}
		for ok := true; ok; {
			_, ok = r.take()
		}
	}
	return nil
}

// close gives the ring back. It must have been drained.
func (r *ring) close() error {
	var errs []error
	for _, m := range [][]byte{r.sqeBytes, r.rings} {
		if m != nil {
			errs = append(errs, unix.Munmap(m))
		}
	}
	errs = append(errs, unix.Close(r.fd))
	runtime.KeepAlive(r)
	return errors.Join(errs...)
}
