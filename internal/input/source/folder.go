package source

import (
	"errors"
	"io/fs"
	"time"
)

// Info is what a folder says about a name in it. Of a symbolic link it is what is said of the link.
type Info struct {
	Mode         fs.FileMode
	Bytes        int64 // of a regular file
	Owner, Group uint32
	Modified     time.Time
	Device       uint64 // the number of a device that the name stands for
	Links        uint64 // how many names the file has; 0 if the system does not say
	ID           FileID
}

// FileID tells files apart. The zero value is unknown.
type FileID struct{ device, inode uint64 }

// SameFile reports whether two names are known to be of one file.
func (i *Info) SameFile(other *Info) bool { return i.ID != FileID{} && i.ID == other.ID }

// ErrNotRegular is returned by Folder.Open for anything but a regular file.
var ErrNotRegular = errors.New("not a regular file")

// IsGone reports whether err means that there is no such name any more.
func IsGone(err error) bool { return isGone(err) }
