//go:build unix

package measure

import "golang.org/x/sys/unix"

// space returns how many bytes of the disk that holds a folder are free for this user, and how many it has.
func space(folder string) (free, all int64, err error) {
	var fs unix.Statfs_t
	err = unix.Statfs(folder, &fs)
	return int64(fs.Bavail) * int64(fs.Bsize), int64(fs.Blocks) * int64(fs.Bsize), err
}
