// Package outfile writes files that appear under their names only when they are complete.
package outfile

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
// beside it, without any name where the system has such files and under another one elsewhere,
// and an existing file of that name stays as it was. What is no regular file (a device, a FIFO,
// standard output) is written directly.
//
// A file that takes the place of another has its mode, and its owner where that may be given.
// Other hard links to the old one keep the old content.
type File struct {
	name   string      // as it was asked for
	target string      // what is replaced, behind links; empty where that is written directly
	temp   string      // what is written; empty where it has no name
	old    fs.FileInfo // of what is replaced; nil where nothing is
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
		return f.orNil(f.begin())
	case err != nil:
		return nil, named("create", name, err)
	case info.IsDir():
		return nil, fmt.Errorf("create %s: it is a folder: name a file", name)
	case !info.Mode().IsRegular():
		f.f, err = os.OpenFile(name, os.O_WRONLY, 0)
		return f.orNil(named("create", name, err))
	}
	if f.target, err = filepath.EvalSymlinks(name); err != nil {
		return nil, named("create", name, err)
	}
	// A rename would replace a file that may not be written too.
	old, err := os.OpenFile(f.target, os.O_WRONLY, 0)
	if err != nil {
		return nil, named("create", name, err)
	}
	f.old = info
	return f.orNil(errors.Join(named("close", name, old.Close()), f.begin()))
}

func (f *File) orNil(err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// begin creates the file that is to appear.
func (f *File) begin() (err error) {
	if f.f, err = unnamed(filepath.Dir(f.target)); err != nil {
		err = f.tryNames(func(temp string) error {
			f.f, err = os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
			return err
		})
	}
	if err != nil {
		return named("create", f.name, err)
	}
	if f.old == nil {
		return nil
	}
	// To give a file away takes rights that others have not: it is then the one's who wrote it.
	err = keepOwner(f.f, f.old)
	if errors.Is(err, fs.ErrPermission) {
		err = nil
	}
	if err == nil {
		err = f.f.Chmod(f.old.Mode().Perm())
	}
	if err != nil {
		return errors.Join(named("create", f.name, err), f.Abort())
	}
	return nil
}

// tryNames calls create with a name beside the target until it is none that is taken.
func (f *File) tryNames(create func(temp string) error) error {
	folder, base := filepath.Split(f.target)
	for try := 1; ; try++ {
		temp := folder + "." + base + "." + strconv.FormatUint(uint64(rand.Uint32()), 36) + ".thresh"
		err := create(temp)
		if errors.Is(err, fs.ErrExist) && try < createTries {
			continue
		}
		if err == nil {
			f.temp = temp
		}
		return err
	}
}

// Name returns the name that was asked for.
func (f *File) Name() string { return f.name }

// OS returns the file that is written, for who writes at many places of it. Errors of it do not
// name the file, and who has one must not Commit.
func (f *File) OS() *os.File { return f.f }

// Regular reports whether the file is one that appears, as against one that is written directly.
func (f *File) Regular() bool { return f.target != "" }

// Replaces reports whether the file will take the place of another.
func (f *File) Replaces() bool { return f.old != nil }

// Write appends p. After an error the file can only be aborted.
func (f *File) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.f.Write(p)
	f.err = named("write", f.name, err)
	return n, f.err
}

// Commit makes the file appear with what was written. If sync, that is on its disk by then, so
// that not even a crash leaves half of it. On an error, also of an earlier Write, nothing appears.
func (f *File) Commit(sync bool) error {
	if f.done {
		return fmt.Errorf("write %s: it is closed", f.name)
	}
	err := f.err
	if err == nil && f.target != "" {
		err = named("write", f.name, f.appear(sync))
	}
	return errors.Join(err, f.Abort())
}

// appear puts the file in its place.
func (f *File) appear(sync bool) error {
	if sync {
		// Some file systems cannot sync and say so by these errors; they have nothing to wait for.
		err := f.f.Sync()
		if err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
			return err
		}
	}
	if f.temp == "" {
		// Linking fails where the name is taken.
		err := name(f.f, f.target)
		if err == nil {
			if err = f.close(); err != nil {
				err = errors.Join(err, os.Remove(f.target))
			}
			return err
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := f.tryNames(func(temp string) error { return name(f.f, temp) }); err != nil {
			return err
		}
	}
	if err := f.close(); err != nil { // only here do some network file systems report a full disk
		return err
	}
	if err := os.Rename(f.temp, f.target); err != nil {
		return err
	}
	f.temp = ""
	return nil
}

// Abort closes the file and leaves nothing behind.
func (f *File) Abort() error {
	err := f.close()
	if f.temp != "" {
		err = errors.Join(err, named("remove what was written of", f.name, os.Remove(f.temp)))
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
	return named("write", f.name, f.f.Close())
}

// named tells an error by the name that was asked for, not the temporary one.
func named(operation, name string, err error) error {
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
