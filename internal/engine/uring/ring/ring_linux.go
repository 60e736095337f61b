package ring

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The constants and structs below are from the kernel's include/uapi/linux/io_uring.h.
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

// setups are the flags to try, best first. A kernel that does not know them returns EINVAL. With
// the first (since 6.1) the kernel processes completions only when this thread asks for them; with
// the second (since 5.19) it at least does not interrupt the thread for them.
var setups = [...]uint32{setupSingleIssuer | setupDeferTaskrun, setupCoopTaskrun, 0}

// Ring is one io_uring. It belongs to the thread that made it.
type Ring struct {
	fd       int
	rings    []byte // the memory of both rings, shared with the kernel
	sqeBytes []byte
	sqes     []sqe
	cqes     []cqe
	sqTail   *uint32
	cqHead   *uint32
	cqTail   *uint32
	prepared uint32 // entries not submitted yet
	inFlight uint32 // entries submitted and not complete

	file       int
	fixedFile  bool
	fixedBytes bool
}

// ErrOldKernel is returned by New for a kernel whose rings cannot read.
var ErrOldKernel = errors.New("the kernel is older than 5.6")

// New returns a ring that reads a file, with at most the given number of reads in flight. The
// caller's goroutine must be locked to its thread until the ring is closed. If the kernel does not
// create a ring, the error is its errno.
func New(file, entries int) (*Ring, error) {
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
	r := &Ring{fd: fd, file: file}
	if p.features&featSingleMmap == 0 || p.features&featRWCurPos == 0 {
		return nil, errors.Join(ErrOldKernel, r.Close())
	}
	if err := r.mapMemory(&p); err != nil {
		return nil, errors.Join(fmt.Errorf("map the ring: %w", err), r.Close())
	}
	// A sandbox may allow creating a ring and deny using it.
	if _, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(fd), 0, 0, 0, 0, 0); errno != 0 {
		return nil, errors.Join(errno, r.Close())
	}
	return r, nil
}

// Missing returns why this process cannot use rings; "" if it can.
func Missing() string {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r, err := New(-1, 1)
	if err == nil {
		err = r.Close()
	}
	if err != nil {
		return fmt.Sprintf("cannot create an io_uring: %v", err)
	}
	return ""
}

func setup(entries uint32, p *params) (int, unix.Errno) {
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(entries),
		uintptr(unsafe.Pointer(p)), 0)
	return int(fd), errno
}

func (r *Ring) mapMemory(p *params) (err error) {
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
	// Entries are used in array order, so the index array never changes.
	for i := range p.sqEntries {
		*word(p.sq.array + 4*i) = i
	}
	return nil
}

// Register registers the file and the memory of all reads with the kernel, which saves work with
// every read. The kernel may refuse either, usually memory because of the limit of locked memory;
// reads then work without it.
func (r *Ring) Register(memory []byte) {
	fd := int32(r.file)
	all := unix.Iovec{Base: &memory[0]}
	all.SetLen(len(memory))
	r.fixedFile = r.register(registerFiles, unsafe.Pointer(&fd))
	r.fixedBytes = r.register(registerBuffers, unsafe.Pointer(&all))
}

func (r *Ring) register(what uintptr, one unsafe.Pointer) bool {
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), what, uintptr(one), 1, 0, 0)
	return errno == 0
}

// Read prepares a read at off into b; Submit submits it. The memory of b must be outside the Go
// heap and stay mapped until the read is complete. The caller must not have more reads in flight
// than the ring was created for.
func (r *Ring) Read(b []byte, off int64, tag uint64) {
	e := sqe{opcode: opRead, fd: int32(r.file), off: uint64(off),
		addr: uint64(uintptr(unsafe.Pointer(&b[0]))), len: uint32(len(b)), userData: tag}
	if r.fixedFile {
		e.flags, e.fd = sqeFixedFile, 0
	}
	if r.fixedBytes {
		e.opcode = opReadFixed
	}
	tail := *r.sqTail // only this thread writes it
	r.sqes[tail&uint32(len(r.sqes)-1)] = e
	atomic.StoreUint32(r.sqTail, tail+1)
	r.prepared++
}

// Submit submits the prepared reads and, with wait, waits for a completion. Submission may block
// too, when the queue of the device is full, so Submit uses a system call that the Go scheduler
// knows about.
func (r *Ring) Submit(wait bool) error {
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
			return nil // the caller takes the completions, which makes room
		case (errno == unix.EAGAIN || errno == unix.EBUSY) && tries < submitTriesMax:
			time.Sleep(time.Millisecond) // the kernel is short of memory
		default:
			return fmt.Errorf("io_uring_enter: %w", errno)
		}
	}
}

const submitTriesMax = 1000

func (r *Ring) completed() bool { return *r.cqHead != atomic.LoadUint32(r.cqTail) }

// Done is a completed read.
type Done struct {
	Tag    uint64
	Result int32 // bytes read, or the negated errno
}

// Short returns the error of a read that returned too little: the kernel's, or that the file ended.
func (d Done) Short() error {
	if d.Result < 0 {
		return unix.Errno(-d.Result)
	}
	return io.ErrUnexpectedEOF
}

// Take returns the next completion, if there is one.
func (r *Ring) Take() (d Done, ok bool) {
	if !r.completed() {
		return d, false
	}
	head := *r.cqHead // only this thread writes it
	c := r.cqes[head&uint32(len(r.cqes)-1)]
	atomic.StoreUint32(r.cqHead, head+1)
	r.inFlight--
	return Done{c.userData, c.res}, true
}

// Drain waits until the kernel no longer writes to any buffer. It discards reads that were
// prepared and not submitted.
func (r *Ring) Drain() error {
	for r.prepared = 0; r.inFlight > 0; {
		if err := r.Submit(true); err != nil {
			return err
		}
		for ok := true; ok; {
			_, ok = r.Take()
		}
	}
	return nil
}

// Close releases the ring. It must have been drained.
func (r *Ring) Close() error {
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
