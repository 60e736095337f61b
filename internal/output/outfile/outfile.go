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

	"github.com/thresh-dev/thresh/internal/fault"
)

// File is a file that appears under its name only when it is complete. Until then, the data is in
// a temporary file in the same folder: without a name if the system supports that, otherwise
// under another name. An existing file of that name stays unchanged until then. Devices, FIFOs,
// standard output and other files that are not regular are written directly.
//
// A file that replaces another one gets its mode and, if the process may change it, its owner.
// Other hard links to the old file keep the old content.
type File struct {
	name   string      // as requested
	target string      // the file to create or replace, links resolved; empty if written directly
	temp   string      // the name of the temporary file; empty if it has none
	old    fs.FileInfo // the replaced file; nil if there is none
	f      *os.File
	err    error // the first write error
	done   bool
}

// createTries limits the attempts to find an unused name.
const createTries = 16

// Create creates the file. The caller must call Commit or Abort. Abort after Commit does nothing,
// so it may be deferred.
func Create(name string) (*File, error) {
	f := &File{name: name}
	switch filepath.ToSlash(name) {
	case "":
		return nil, errors.New("write the answer: the file has no name")
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		// To open the path again would overwrite a redirected file from its beginning.
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
			return nil, fmt.Errorf("create %s: it is a link to a file that does not exist: name that file", name)
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
	// Check the permission to write: a rename would also replace a write-protected file.
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

// begin creates the temporary file.
func (f *File) begin() (err error) {
	if err := fault.Err(fault.CreateOut); err != nil {
		return named("create", f.name, err)
	}
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
	// Changing the owner needs privileges; without them the file belongs to the writer.
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

// tryNames calls create with names in the folder of the target, until it finds an unused one.
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

// Name returns the requested name.
func (f *File) Name() string { return f.name }

// OS returns the underlying file, for callers that write at several offsets. Its errors do not
// have the requested name. After such an error, the caller must not call Commit.
func (f *File) OS() *os.File { return f.f }

// Regular reports whether the file is a regular file, which appears on Commit. Other files are
// written directly.
func (f *File) Regular() bool { return f.target != "" }

// Replaces reports whether the file will replace an existing file.
func (f *File) Replaces() bool { return f.old != nil }

// Write appends p. After an error the file can only be aborted.
func (f *File) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := fault.Write(fault.WriteOut, p, f.f.Write)
	f.err = named("write", f.name, err)
	return n, f.err
}

// Commit makes the file appear. If sync is true, it first waits until the data is on disk, so that
// even a crash cannot leave half a file. On an error, also of an earlier Write, no file appears.
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

// appear gives the file its final name.
func (f *File) appear(sync bool) error {
	if sync {
		// File systems that cannot sync return these errors. There is nothing to wait for.
		err := fault.Err(fault.SyncOut)
		if err == nil {
			err = f.f.Sync()
		}
		if err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
			return err
		}
	}
	if f.temp == "" {
		// Linking fails if the name exists. Then link to a temporary name, to be renamed below.
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
	if err := f.close(); err != nil { // some network file systems report a full disk only here
		return err
	}
	err := fault.Err(fault.RenameOut)
	if err == nil {
		err = os.Rename(f.temp, f.target)
	}
	if err != nil {
		return err
	}
	f.temp = ""
	return nil
}

// Abort closes the file and removes the temporary file.
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
	return named("write", f.name, errors.Join(fault.Err(fault.CloseOut), f.f.Close()))
}

// named returns err with the requested name of the file instead of the temporary one.
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

// Same reports whether a name refers to an open file: by another path, through a link, or as
// another node of the same device. A file that cannot be examined counts as different.
func Same(in *os.File, name string) bool {
	a, err := in.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(name)
	if err != nil {
		return false
	}
	return os.SameFile(a, b) || a.Mode().Type() == b.Mode().Type() && a.Mode()&fs.ModeDevice != 0 && sameDevice(a, b)
}
