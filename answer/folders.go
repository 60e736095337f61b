package answer

import (
	"io/fs"
	"time"

	"github.com/thresh-dev/thresh/receipt"
)

// FolderDifference is a name at which two folders differ, or that could not be compared.
type FolderDifference struct {
	Kind DifferenceKind
	// Path is the path of the name below both folders, with slashes; "." stands for the folders themselves. It may hold
	// any bytes that the file system allows, line feeds too.
	Path string
	// A and B are what the folders say about the name; nil if that folder does not have it, or did not say.
	A, B *Entry
	// Off is the offset of the first byte that differs, of DifferentContent; 0 otherwise.
	Off int64
	// Meta is what differs of DifferentMeta, in this order: "mode", "owner", "mtime".
	Meta []string
	// Err is why a name could not be compared, of NotCompared: an error with the path, a *failure.UnreadError for each
	// range that could not be read.
	Err error
}

// DifferenceKind says in what two folders differ at a name. It is the letter that the command line prints.
type DifferenceKind byte

// The kinds of differences. A name has one of them, and DifferentMeta besides where that is asked for. A folder that
// only one of them has is one difference, with all that is in it.
const (
	OnlyInFirst      DifferenceKind = '-'
	OnlyInSecond     DifferenceKind = '+'
	DifferentType    DifferenceKind = 'T' // as a file and a folder, or devices of different numbers
	DifferentSize    DifferenceKind = 'S' // files that were not read, because their sizes differ
	DifferentContent DifferenceKind = 'C' // files of the same size
	DifferentTarget  DifferenceKind = 'L' // what symbolic links say
	DifferentMeta    DifferenceKind = 'M' // permissions, owner or time
	NotCompared      DifferenceKind = '?' // it could not be read, or not all of it
)

// Entry is what a folder says about a name in it. Of a symbolic link it is what is said of the link.
type Entry struct {
	Mode         fs.FileMode // type and permissions
	Bytes        int64       // of a file
	Owner, Group uint32      // 0 on Windows
	Modified     time.Time
	Device       uint64 // the number of a device
	Target       string // of a symbolic link, of DifferentTarget
}

// FolderComparison says what a call of CompareFolders found. Each name counts once, whatever it differs in.
type FolderComparison struct {
	Equal                     bool  // nothing differs, and all of it could be read
	Folders                   int64 // that both have, without the ones that are compared
	Files                     int64 // and links, devices and the like: names that both folders have, equal or not
	OnlyInFirst, OnlyInSecond int64 // names that one of them has
	Changed                   int64 // names that both have and that differ
	Unread                    int64 // names that could not be compared
	Bytes                     int64 // read of each folder
	Skipped                   int64 // not read: of files that are one, or were compared under other names, and holes
	Cached                    int64 // files that were read through the page cache although Past was asked for
	Complete                  bool  // all was read that matters
	Receipt                   receipt.Receipt
}
