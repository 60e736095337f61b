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

// blockBytes holds some 2000 entries, which a system call returns.
var blockBytes = threshold.New("source: block of a folder's entries", 64<<10, 512)

// list appends what lies in a folder to the entries. Where the folder is not the top of the
// walk, a link that has taken its place since it was found is not followed.
//
// A million entries are read without an allocation for each: the names are parts of the
// blocks that the system returns, and it tells the types in them as well.
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
	for {
		n, err := ignoringEINTR(func() (int, error) { return unix.ReadDirent(fd, w.buf) })
		if err != nil {
			return fail("list", err)
		}
		if n == 0 {
			return nil
		}
		w.entries = appendEntries(w.entries, w.buf[:n], fd)
	}
}

// appendEntries appends the entries of a block of linux_dirent64, see getdents64(2): inode
// and position of 8 bytes each, the length of the record of 2, the type of 1, and the name,
// which ends with a zero. The names of a block share one allocation of just their bytes.
func appendEntries(entries []entry, block []byte, folder int) []entry {
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
		names.Write(name) // which never moves what is there already
		text := names.String()[at:]
		entries = append(entries, entry{text, kindOf(kind, folder, text)})
	})
	return entries
}

// kindOf turns the type of an entry into that of package fs. Some file systems do not tell,
// and the file is asked; what cannot be asked is taken for a file, as opening it then says
// what is wrong.
func kindOf(told byte, folder int, name string) fs.FileMode {
	switch told {
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
		// The types of entries are those of files, without the twelve bits of permissions.
		if asked := byte(stat.Mode & unix.S_IFMT >> 12); asked != unix.DT_UNKNOWN {
			return kindOf(asked, folder, name)
		}
	}
	return fs.ModeIrregular // FIFOs, sockets, devices, and what is yet to be invented
}
