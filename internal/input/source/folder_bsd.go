//go:build unix && !linux

package source

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// list appends the entries of the folder.
func (f *Folder) list(entries []Entry) (_ []Entry, err error) {
	fd, err := unix.Dup(f.fd)
	if err != nil {
		return entries, err
	}
	unix.CloseOnExec(fd)
	d := os.NewFile(uintptr(fd), f.path)
	defer func() { err = errors.Join(err, d.Close()) }()
	found, err := d.ReadDir(-1)
	for _, e := range found {
		entries = append(entries, Entry{e.Name(), e.Type()})
	}
	return entries, err
}
