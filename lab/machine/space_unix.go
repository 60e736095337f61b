//go:build unix

package machine

import "golang.org/x/sys/unix"

// Space returns how many bytes of the disk that holds a folder are free for this user, and how many it has.
func Space(folder string) (free, all int64, err error) {
	var fs unix.Statfs_t
	err = unix.Statfs(folder, &fs)
	return int64(fs.Bavail) * int64(fs.Bsize), int64(fs.Blocks) * int64(fs.Bsize), err
}
