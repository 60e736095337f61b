package source

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// blockBytes is the buffer size of one system call. It holds about 2000 entries.
var blockBytes = threshold.New("source: block of a folder's entries", 64<<10, 512)

// list appends the entries of a folder. Unless the folder is the top of the walk, it does not
// follow a link that has replaced the folder since it was found.
//
// Entries need no allocation each: the names of a block share one, and the block contains the
// types too.
func (w *walker) list(path string, top bool) error {
	fail := func(op string, err error) error { return &fs.PathError{Op: op, Path: path, Err: err} }
	flags := unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NONBLOCK | unix.O_CLOEXEC | unix.O_NOFOLLOW
	if top {
		flags &^= unix.O_NOFOLLOW
	}
	fd, err := ignoringEINTR(func() (int, error) { return unix.Open(path, flags, 0) })
	if err != nil {
		return fail("open", err)
	}
	defer unix.Close(fd) // nothing was written
	if w.buf == nil {
		w.buf = make([]byte, blockBytes.Get())
	}
	w.entries, err = appendListed(w.entries, fd, w.buf)
	if err != nil {
		return fail("list", err)
	}
	return nil
}

// appendListed appends the entries of an open folder, from its position on. The buffer is for what a system call
// returns.
func appendListed(entries []Entry, fd int, buf []byte) ([]Entry, error) {
	for {
		n, err := ignoringEINTR(func() (int, error) { return unix.ReadDirent(fd, buf) })
		if n <= 0 || err != nil {
			return entries, err
		}
		entries = appendEntries(entries, buf[:n], fd)
	}
}

// appendEntries appends the entries of a block of linux_dirent64 records, see getdents64(2). A
// record has an inode and a position of 8 bytes each, its length in 2 bytes, a type in 1 byte, and
// the name with a zero at its end. The names of a block share one allocation of exactly their size.
func appendEntries(entries []Entry, block []byte, folder int) []Entry {
	const lengthAt, typeAt, nameAt = 16, 18, 19
	records := func(visit func(kind byte, name []byte)) {
		for rest := block; len(rest) > 0; {
			record := rest[:binary.NativeEndian.Uint16(rest[lengthAt:])]
			rest = rest[len(record):]
			name := record[nameAt:][:bytes.IndexByte(record[nameAt:], 0)]
			if string(name) != "." && string(name) != ".." {
				visit(record[typeAt], name)
			}
		}
	}
	namesBytes, n := 0, 0
	records(func(_ byte, name []byte) { namesBytes, n = namesBytes+len(name), n+1 })
	var names strings.Builder
	names.Grow(namesBytes)
	entries = slices.Grow(entries, n)
	records(func(kind byte, name []byte) {
		at := names.Len()
		names.Write(name) // never reallocates: Grow has reserved the bytes
		text := names.String()[at:]
		entries = append(entries, Entry{text, kindOf(kind, folder, text)})
	})
	return entries
}

// kindOf converts the type of an entry to that of package fs. If the file system does not report
// types, kindOf queries the file. If that fails the entry counts as a file, because opening it will
// return an error.
func kindOf(reported byte, folder int, name string) fs.FileMode {
	switch reported {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_UNKNOWN:
		var stat unix.Stat_t
		_, err := ignoringEINTR(func() (int, error) {
			return 0, unix.Fstatat(folder, name, &stat, unix.AT_SYMLINK_NOFOLLOW)
		})
		if err != nil {
			return 0
		}
		// An entry's type is the file's type without the twelve permission bits.
		if queried := byte(stat.Mode & unix.S_IFMT >> 12); queried != unix.DT_UNKNOWN {
			return kindOf(queried, folder, name)
		}
	}
	return fs.ModeIrregular // FIFOs, sockets, devices, and types added to Linux later
}
