package proc

import (
	"encoding/binary"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// File is a file of /proc that is read again and again. The zero value is not open.
//
// The descriptor belongs to the process or thread that the file was about when it was opened: after
// its end reading fails, also if its number is in use again.
type File struct {
	fd   int
	open bool
}

// Open opens the file of that name.
func Open(name string) (File, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	return File{fd: fd, open: err == nil}, err
}

// Read reads the file from its start, as much as fits into buf. The system makes the content from memory,
// in a few microseconds. So the runtime of Go is not told of the call: it would wake a thread to watch over it.
func (f File) Read(buf []byte) ([]byte, error) {
	if !f.open {
		return nil, unix.EBADF
	}
	if len(buf) == 0 {
		return buf, nil
	}
	for {
		n, _, err := unix.RawSyscall6(unix.SYS_PREAD64, uintptr(f.fd), uintptr(unsafe.Pointer(&buf[0])),
			uintptr(len(buf)), 0, 0, 0)
		switch err {
		case 0:
			return buf[:n], nil
		case unix.EINTR:
			continue
		}
		return buf[:0], err
	}
}

// Close closes the file, if it is open.
func (f *File) Close() {
	if f.open {
		_ = unix.Close(f.fd) // only read
		*f = File{}
	}
}

// AppendNumbered appends the numbers among the names in the folder, as the processes in /proc and the
// threads in /proc/PID/task. It does not sort them.
func (f File) AppendNumbered(list []int, buf []byte) ([]int, error) {
	if !f.open {
		return list, unix.EBADF
	}
	if _, err := unix.Seek(f.fd, 0, unix.SEEK_SET); err != nil {
		return list, err
	}
	for {
		n, err := unix.ReadDirent(f.fd, buf)
		if err != nil || n == 0 {
			return list, err
		}
		list = appendNames(list, buf[:n])
	}
}

// appendNames walks over entries as the kernel writes them: an inode and an offset of 8 bytes each,
// the length of the entry in 2, its type in 1, and the name with a zero behind it.
func appendNames(list []int, entries []byte) []int {
	const nameAt = 19
	for len(entries) > nameAt {
		length := int(binary.NativeEndian.Uint16(entries[16:]))
		if v, rest, ok := nextNumber(entries[nameAt:length]); ok && rest[0] == 0 {
			list = append(list, int(v))
		}
		entries = entries[length:]
	}
	return list
}

// ThreadTime returns the processor time of the calling thread.
func ThreadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
