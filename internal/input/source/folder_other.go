//go:build !unix

package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Folder is a folder. No symbolic link in it is followed.
type Folder struct{ path string }

// OpenFolder returns a folder by its path, or that to which a symbolic link leads.
func OpenFolder(path string) (*Folder, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	return &Folder{path}, err
}

// Folder returns a folder in this one.
func (f *Folder) Folder(name string) (*Folder, error) { return OpenFolder(f.Path(name)) }

// Outer returns the folder that this one is in.
func (f *Folder) Outer() (*Folder, error) { return OpenFolder(filepath.Dir(f.path)) }

// Path returns the path of a name in the folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.path, name) }

// Close does nothing.
func (f *Folder) Close() {}

// List appends what is in the folder, sorted by the bytes of the names.
func (f *Folder) List(entries []Entry) ([]Entry, error) {
	found, err := os.ReadDir(f.path)
	if err != nil {
		return entries, err
	}
	first := len(entries)
	for _, e := range found {
		entries = append(entries, Entry{e.Name(), e.Type()})
	}
	slices.SortFunc(entries[first:], byName)
	return entries, nil
}

// Info returns what the folder says about a name; "." is the folder itself.
func (f *Folder) Info(name string) (Info, error) {
	info, err := os.Lstat(f.Path(name))
	if err != nil {
		return Info{}, err
	}
	return infoOf(info), nil
}

func infoOf(info fs.FileInfo) Info {
	return Info{Mode: info.Mode(), Bytes: info.Size(), Modified: info.ModTime()}
}

// Target returns what a symbolic link says.
func (f *Folder) Target(name string) (string, error) { return os.Readlink(f.Path(name)) }

// Opened is a regular file that a folder has opened.
type Opened struct{ f *os.File }

// Open opens a regular file.
func (f *Folder) Open(name string) (Opened, Info, error) {
	info, err := os.Lstat(f.Path(name))
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Path(name), Err: ErrNotRegular}
	}
	if err != nil {
		return Opened{}, Info{}, err
	}
	file, err := os.Open(f.Path(name))
	if err != nil {
		return Opened{}, Info{}, err
	}
	if info, err = file.Stat(); err != nil {
		return Opened{}, Info{}, errors.Join(err, file.Close())
	}
	return Opened{file}, infoOf(info), nil
}

// ReadAt reads len(p) bytes, or fewer at the end of the file, which is no error.
func (o Opened) ReadAt(p []byte, off int64) (int, error) {
	n, err := o.f.ReadAt(p, off)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// Close closes the file.
func (o Opened) Close() { o.f.Close() } // nothing was written

// OS returns the file. It, and not Close, then closes it.
func (o Opened) OS(string) *os.File { return o.f }
