package splice

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// While a step waits for its destination, every segment that arrives at the source wakes the process
// for nothing: the runtime watches all sockets for both directions. With a reader that is the slower side,
// these were most wake-ups, and a fifth of a relay's processor time. So meanwhile the source reports
// bytes only once half of its buffer is full (SO_RCVLOWAT). It reports its end and its errors as ever.

// silence keeps the source from reporting that bytes arrived, until unsilence. A refusal by the kernel
// costs wake-ups only.
func (l *Splicer) silence() {
	if l.loud || l.src.Control(l.raise) != nil {
		return
	}
	l.silent = true
}

func (l *Splicer) unsilence() {
	if l.silent {
		l.silent = false
		_ = l.src.Control(l.lower) // an error means that it is closed
	}
}

// raiseMark sets the mark to half of the buffer, above which the kernel bounds it anyway. Where bytes take
// much memory, as in small segments, the kernel enlarges the buffer to match; such a source stays loud,
// so that this happens once.
func (l *Splicer) raiseMark(fd uintptr) {
	size, sizeOK := socketOption(fd, unix.SO_RCVBUF)
	mark, markOK := socketOption(fd, unix.SO_RCVLOWAT)
	if !sizeOK || !markOK || mark >= size/2 || !setSocketOption(fd, unix.SO_RCVLOWAT, size/2) {
		l.loud = true
		return
	}
	l.mark = mark
	if now, ok := socketOption(fd, unix.SO_RCVBUF); !ok || now > size {
		l.loud = true
	}
}

// lowerMark restores the mark. If there are bytes, the kernel then reports them.
func (l *Splicer) lowerMark(fd uintptr) { setSocketOption(fd, unix.SO_RCVLOWAT, l.mark) }

// The next two make raw system calls. An ordinary one wakes the runtime's thread that looks for calls that
// block; with four of them for every wait, that thread took a twentieth of the time.

func socketOption(fd uintptr, name int) (int, bool) {
	var value int32
	length := uint32(unsafe.Sizeof(value))
	_, _, errno := unix.RawSyscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, uintptr(name),
		uintptr(unsafe.Pointer(&value)), uintptr(unsafe.Pointer(&length)), 0)
	return int(value), errno == 0
}

func setSocketOption(fd uintptr, name, to int) bool {
	value := int32(to)
	_, _, errno := unix.RawSyscall6(unix.SYS_SETSOCKOPT, fd, unix.SOL_SOCKET, uintptr(name),
		uintptr(unsafe.Pointer(&value)), unsafe.Sizeof(value), 0)
	return errno == 0
}
