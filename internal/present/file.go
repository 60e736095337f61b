package present

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// File is a file that appears under its name only when it is complete. Until then it lies
// beside it under another name, and an existing file of that name stays as it was. What is
// no regular file (a device, a FIFO, standard output) is written directly.
type File struct {
	name   string // as it was asked for
	target string // what is replaced, behind links
	temp   string // what is written; empty where that is the target itself
	f      *os.File
	err    error // of the first write that failed
	done   bool
}

// createTries bounds the search for a free name.
const createTries = 16

// Create begins the file. The caller ends with Commit or Abort; Abort behind Commit does
// nothing, so it may be deferred.
func Create(name string) (*File, error) {
	f := &File{name: name}
	switch filepath.ToSlash(name) {
	case "":
		return nil, errors.New("write the answer: the file has no name")
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		// Opened again, a redirected file would be written from its beginning.
		f.f = os.Stdout
		return f, nil
	case "/dev/stderr", "/dev/fd/2", "/proc/self/fd/2":
		f.f = os.Stderr
		return f, nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(name); err == nil {
			return nil, fmt.Errorf("create %s: it is a link to a file that is not there: name that file", name)
		}
		f.target = name
		return f.orNil(f.begin(0))
	case err != nil:
		return nil, renamed("create", name, err)
	case info.IsDir():
		return nil, fmt.Errorf("create %s: it is a folder: name a file", name)
	case !info.Mode().IsRegular():
		f.f, err = os.OpenFile(name, os.O_WRONLY, 0)
		return f.orNil(renamed("create", name, err))
	}
	if f.target, err = filepath.EvalSymlinks(name); err != nil {
		return nil, renamed("create", name, err)
	}
	// A rename would replace a file that may not be written too.
	old, err := os.OpenFile(f.target, os.O_WRONLY, 0)
	if err != nil {
		return nil, renamed("create", name, err)
	}
	old.Close()
	return f.orNil(f.begin(info.Mode().Perm()))
}

func (f *File) orNil(err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// begin creates the temporary file with mode, or what the system gives new files if 0.
func (f *File) begin(mode fs.FileMode) error {
	folder, base := filepath.Split(f.target)
	for try := 1; ; try++ {
		temp := folder + "." + base + "." + strconv.FormatUint(uint64(rand.Uint32()), 36) + ".thresh"
		file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && try < createTries {
			continue
		}
		if err != nil {
			return renamed("create", f.name, err)
		}
		f.f, f.temp = file, temp
		if mode != 0 {
			if err := file.Chmod(mode); err != nil {
				f.Abort()
				return renamed("create", f.name, err)
			}
		}
		return nil
	}
}

// replaces reports whether the file is written beside its name and renamed.
func (f *File) replaces() bool { return f.temp != "" }

// Write appends p. After an error the file can only be aborted.
func (f *File) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.f.Write(p)
	f.err = renamed("write", f.name, err)
	return n, f.err
}

// Commit makes the file appear with what was written, which by then is on its disk, so that
// not even a crash leaves half of it. On an error, also of an earlier Write, nothing appears.
func (f *File) Commit() error {
	if f.done {
		return fmt.Errorf("write %s: it is closed", f.name)
	}
	defer f.Abort()
	if f.err != nil {
		return f.err
	}
	if !f.replaces() {
		return f.close()
	}
	// Some file systems cannot sync and say so by these errors; they have nothing to wait for.
	if err := f.f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return renamed("write", f.name, err)
	}
	if err := f.close(); err != nil {
		return err
	}
	if err := os.Rename(f.temp, f.target); err != nil {
		return renamed("write", f.name, err)
	}
	f.temp = ""
	return nil
}

// Abort closes the file and leaves nothing behind.
func (f *File) Abort() error {
	err := f.close()
	if f.temp != "" {
		err = errors.Join(err, renamed("remove what was written of", f.name, os.Remove(f.temp)))
		f.temp = ""
	}
	return err
}

func (f *File) close() error {
	if f.done {
		return nil
	}
	f.done = true
	if f.f == os.Stdout || f.f == os.Stderr {
		return nil // the process closes them
	}
	return renamed("write", f.name, f.f.Close())
}

// renamed tells an error by the name that was asked for, not the temporary one.
func renamed(operation, name string, err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("%s %s: %w", operation, name, err)
}
