package docroot

import (
	"io/fs"
	"os"
	"strconv"
	"time"
)

// usefulTimeMin is the earliest modification time that has a meaning: archives and builds without
// times write 1970-01-01, in this or another time zone.
var usefulTimeMin = time.Date(1970, 1, 3, 0, 0, 0, 0, time.UTC)

// newFile returns f with its metadata.
func newFile(f *os.File, info fs.FileInfo, typ string, c coding, now time.Time) File {
	d := File{File: f, Size: info.Size(), Type: typ, Encoding: c.name, ETag: etag(info, c, now)}
	if mod := info.ModTime(); !mod.Before(usefulTimeMin) {
		d.Modified = mod
	}
	return d
}

// etag identifies a content by inode, size, modification time in nanoseconds, and coding. It does
// not use the device, whose number may change at a reboot, nor the inode's change time, which new
// links and changed permissions update.
//
// A young file may change again without a new modification time. Its tag also holds the time when
// it was opened, and the next revalidation opens it again. So a tag never covers more than the
// contents within one revalidation interval. Changes that leave no time behind are not seen: stores
// to a mapping that has long been dirty, or a time set back by hand.
func etag(info fs.FileInfo, c coding, now time.Time) string {
	b := append(make([]byte, 0, 64), '"')
	b = strconv.AppendUint(b, inode(info), 16)
	b = strconv.AppendUint(append(b, '-'), uint64(info.Size()), 16)
	b = strconv.AppendUint(append(b, '-'), uint64(info.ModTime().UnixNano()), 16)
	if c.name != "" {
		b = append(append(b, '-'), c.name...)
	}
	if young(info, now) {
		b = strconv.AppendUint(append(b, '-'), uint64(now.UnixNano()), 16)
	}
	return string(append(b, '"'))
}

// young reports whether a file may change again within the clock tick of its modification time.
// Kernels update that clock once per tick, at most 10 ms; times of whole seconds are from file
// systems that store seconds, or even seconds, only.
func young(info fs.FileInfo, now time.Time) bool { return isYoung(info.ModTime(), now) }

func isYoung(modified, now time.Time) bool {
	tick := 20 * time.Millisecond
	if modified.Nanosecond() == 0 {
		tick = 2 * time.Second
	}
	return now.Sub(modified).Abs() < tick
}

// sameState reports whether two calls of stat saw the same file in the same state.
func sameState(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) &&
		changeTime(a) == changeTime(b) && a.Mode() == b.Mode()
}
