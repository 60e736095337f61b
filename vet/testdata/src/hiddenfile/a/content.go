package a

import (
	"bytes"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"hiddenfile/dep"
)

// A section of a file.
func section(w http.ResponseWriter, r *http.Request, f *os.File, size int64) {
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(f, 0, size)) // want `^io.SectionReader hides the `
}

func sectionCopied(c *net.TCPConn, f *os.File) (int64, error) {
	s := io.NewSectionReader(f, 512, 1024) // want `^io.SectionReader .* zerocopy.NewSection with a listener`
	return io.Copy(c, s)
}

// A file that embeds the interface, and its file system.
type onlyFiles struct{ http.FileSystem }

type noList struct {
	http.File
}

func (noList) Readdir(int) ([]fs.FileInfo, error) { return nil, nil }

func (o onlyFiles) Open(name string) (http.File, error) {
	f, err := o.FileSystem.Open(name)
	if err != nil {
		return nil, err
	}
	return noList{f}, nil // want `^noList embeds http.File, .* one, and override its ReadDir, too$`
}

func withoutLists(dir string) http.Handler {
	return http.FileServer(onlyFiles{http.Dir(dir)})
}

// A pointer, a named field for the system, a local variable.
type dotless struct{ inner http.FileSystem }

type dotlessFile struct {
	http.File
	name string
}

func (d *dotless) Open(name string) (http.File, error) {
	f, err := d.inner.Open(name)
	if err != nil {
		return nil, err
	}
	wrapped := &dotlessFile{File: f, name: name} // want `^dotlessFile embeds http.*embed .*os.File where it is one$`
	return wrapped, nil
}

func withoutDots(dir string) http.Handler {
	system := &dotless{inner: http.Dir(dir)}
	return http.FileServer(system)
}

// Opened by package os.
type osFiles struct{}

type namedFile struct {
	fs.File
	io.Seeker
}

func (n namedFile) Readdir(int) ([]fs.FileInfo, error) { return nil, nil }

func (osFiles) Open(name string) (http.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return namedFile{f, f}, nil // want `namedFile embeds fs.File, which hides the \*os.File from the kernel`
}

func fromOS() http.Handler { return http.FileServer(osFiles{}) }

// ServeContent gets the wrapper itself.
type logged struct {
	io.ReadSeeker
	log func()
}

func (l logged) Close() error { l.log(); return nil }

func content(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data")
	if err != nil {
		return
	}
	defer f.Close()
	l := logged{ReadSeeker: f} // want `logged embeds io.ReadSeeker, which hides the \*os.File from the kernel`
	defer l.Close()
	http.ServeContent(w, r, "data", time.Time{}, l)
}

// io.Copy gets it.
type closes struct {
	io.Reader
	io.Closer
}

func copied(c *net.TCPConn, f *os.File, done io.Closer) {
	io.Copy(c, closes{f, done}) // want `closes embeds io.Reader, which hides the \*os.File from the kernel`
}

func anonymous(c *net.TCPConn, f *os.File, done io.Closer) {
	io.Copy(c, struct { // want `a struct embeds io.Reader, which hides the \*os.File from the kernel`
		io.Reader
		io.Closer
	}{f, done})
}

// A generic one.
type tagged[T any] struct {
	io.ReadSeeker
	tag T
}

func generic(w http.ResponseWriter, r *http.Request, f *os.File) {
	http.ServeContent(w, r, "", time.Time{}, &tagged[int]{f, 1}) // want `tagged embeds io.ReadSeeker, which hides`
}

// A connection for a connection.
type relayed struct{ net.Conn }

func splices(c, d *net.TCPConn) {
	io.Copy(c, &closes{Reader: d}) // want `^closes embeds io.Reader, .* splice is lost: embed \*net.TCPConn`
}

// From here on nothing is to be reported.

func whole(w http.ResponseWriter, r *http.Request, f *os.File) {
	http.ServeContent(w, r, "", time.Time{}, f)
}

func memory(w http.ResponseWriter, r *http.Request, b []byte) {
	s := io.NewSectionReader(bytes.NewReader(b), 0, 10)
	http.ServeContent(w, r, "", time.Time{}, s)
}

func anySection(w http.ResponseWriter, r *http.Request, at io.ReaderAt) {
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(at, 0, 10))
}

func toMemory(b *bytes.Buffer, f *os.File) {
	io.Copy(b, io.NewSectionReader(f, 0, 10))
}

// It promotes SyscallConn.
type keeps struct{ *os.File }

func (keeps) Readdir(int) ([]fs.FileInfo, error) { return nil, nil }

func kept(w http.ResponseWriter, r *http.Request, f *os.File) {
	http.ServeContent(w, r, "", time.Time{}, keeps{f})
}

// It has its own Read, which only hands on.
type own struct{ io.ReadSeeker }

func (o own) Read(p []byte) (int, error) { return o.ReadSeeker.Read(p) }

func owned(w http.ResponseWriter, r *http.Request, f *os.File) {
	http.ServeContent(w, r, "", time.Time{}, own{f}) // want `^a.own hides the file or connection that it reads from`
}

// It forwards WriteTo.
type forwards struct{ io.Reader }

func (f forwards) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, f.Reader) }

func forwarded(c *net.TCPConn, f *os.File) { io.Copy(c, forwards{f}) }

// The usual way to hide a method on purpose.
func purpose(c *net.TCPConn, f *os.File) { io.Copy(c, struct{ io.Reader }{f}) }

func embedsMemory(w http.ResponseWriter, r *http.Request, b []byte) {
	http.ServeContent(w, r, "", time.Time{}, logged{ReadSeeker: bytes.NewReader(b)})
}

// No file is known to get here.
type anyFiles struct{ http.FileSystem }

type anyFile struct{ http.File }

func (a anyFiles) Open(name string) (http.File, error) {
	f, err := a.FileSystem.Open(name)
	return anyFile{f}, err
}

func unknown(system http.FileSystem) http.Handler { return http.FileServer(anyFiles{system}) }

func assets() http.Handler { return http.FileServer(anyFiles{http.FS(embedded)}) }

// What a server of another package does is not known.
func otherPackage(dir string) http.Handler {
	return http.FileServer(dep.NoLists{FileSystem: http.Dir(dir)})
}

// A helper of several callers: no section of a file gets to the connection.
func move(dst io.Writer, src io.Reader) { io.Copy(dst, src) }

func moves(c *net.TCPConn, b *bytes.Buffer, f *os.File) {
	move(c, b)
	move(b, io.NewSectionReader(f, 0, 10))
}
