package zerocopy

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapBytes is how much of a file is mapped at once. A mapping whose pages no one looks at costs two
// system calls, so a large one costs next to nothing; this one fits a 32-bit address space, too.
const mapBytes = 64 << 20

// mapping is a window of a file.
type mapping struct {
	mem []byte
	off int64 // of the file: where mem begins, at a page
}

// pages returns up to n bytes of the file at off, none at or after its end. They are valid until the
// next call of pages or unmap, and as long as the file does not become shorter.
func (m *mapping) pages(f *os.File, off, n int64) ([]byte, error) {
	if off < m.off || off >= m.off+int64(len(m.mem)) {
		if err := m.remap(f, off); err != nil || m.mem == nil {
			return nil, err
		}
	}
	at := off - m.off
	end := min(at+n, int64(len(m.mem)))
	return m.mem[at:end:end], nil
}

func (m *mapping) remap(f *os.File, off int64) error {
	if err := m.unmap(); err != nil {
		return err
	}
	return control(f, func(fd int) error {
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil || off >= stat.Size {
			return err
		}
		m.off = off &^ int64(os.Getpagesize()-1)
		size := int(min(stat.Size-m.off, mapBytes))
		mem, err := unix.Mmap(fd, m.off, size, unix.PROT_READ, unix.MAP_SHARED)
		m.mem = mem
		return err
	})
}

func (m *mapping) unmap() error {
	mem := m.mem
	*m = mapping{}
	if mem == nil {
		return nil
	}
	return unix.Munmap(mem)
}
