package docroot

import (
	"io/fs"
	"os"
	"strconv"
	"time"
)

// usefulTime is the first time that a file's time may have: archives and builds which want
// none write 1970-01-01, here or in another time zone.
var usefulTimeMin = time.Date(1970, 1, 3, 0, 0, 0, 0, time.UTC)

// describe returns f as it is handed out.
func newFile(f *os.File, info fs.FileInfo, typ string, c coding, now time.Time) File {
	d := File{File: f, Size: info.Size(), Type: typ, Encoding: c.name, ETag: etag(info, c, now)}
	if mod := info.ModTime(); !mod.Before(usefulTimeMin) {
		d.Modified = mod
	}
	return d
}

// etag names a content by inode, size and time in nanoseconds, and its coding. The device
// is left out: its number changes when the machine starts again. So is the time of the last
// change of the inode, which a new link or a changed permission moves.
//
// A file that is young may change once more without a new time. Its tag has the moment at
// which it was opened besides, and the next validation opens it anew, so that a tag never
// stands for more than was there within one validation interval. What no time shows, no
// tag shows: stores to a mapping that is long dirty, or a time set back by hand.
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

// young reports whether a file may change once more within the tick of the clock that gave
// it its time. Kernels take that time once per tick, 10 ms at most; whole seconds come from
// file systems that know no less, or only even ones.
func young(info fs.FileInfo, now time.Time) bool {
	tick := 20 * time.Millisecond
	if info.ModTime().Nanosecond() == 0 {
		tick = 2 * time.Second
	}
	return now.Sub(info.ModTime()).Abs() < tick
}

// same reports whether two looks at a path saw the same file in the same state.
func sameState(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) &&
		changeTime(a) == changeTime(b) && a.Mode() == b.Mode()
}
