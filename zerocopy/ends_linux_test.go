package zerocopy_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"strings"

	"github.com/thresh-dev/thresh/zerocopy"
)

func limit(r io.Reader) io.Reader { return io.LimitReader(r, 1<<40) }

// Wrappers as users write them.
type (
	plainFile struct{ *os.File }
	//thresh:ignore bypassedoverride Copy must not go round it, which is tested
	readFile struct {
		*os.File
		n int64
	}
	//thresh:ignore bypassedoverride Copy must not go round it, which is tested
	readConn struct {
		*net.TCPConn
		n int64
	}
	//thresh:ignore bypassedoverride Copy must not go round it, which is tested
	writeConn struct {
		*net.TCPConn
		n int64
	}
	forwardsWriteTo  struct{ r io.Reader }
	forwardsReadFrom struct{ w io.Writer }
)

func (f *readFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.n += int64(n)
	return n, err
}

func (c *readConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *writeConn) Write(p []byte) (int, error) {
	n, err := c.TCPConn.Write(p)
	c.n += int64(n)
	return n, err
}

func (f forwardsWriteTo) Read(p []byte) (int, error)         { return f.r.Read(p) }
func (f forwardsWriteTo) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, f.r) }

func (f forwardsReadFrom) Write(p []byte) (int, error)         { return f.w.Write(p) }
func (f forwardsReadFrom) ReadFrom(r io.Reader) (int64, error) { return io.Copy(f.w, r) }

func (s *stage) pipe() (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	return s.keep(r), s.keep(w)
}

func (s *stage) counting() zerocopy.Hook { return zerocopy.Count(new(zerocopy.Counter)) }

func (s *stage) conn(c net.Conn) *zerocopy.Conn {
	h := []zerocopy.Hook{s.counting()}
	return zerocopy.NewConn(c, zerocopy.Hooks{Read: h, Write: h})
}

func (s *stage) reader(r io.Reader) *zerocopy.Reader { return zerocopy.NewReader(r, s.counting()) }

func (s *stage) section() *zerocopy.Section {
	return zerocopy.NewSection(s.file(), 1000, fileBytes-1000, make(zerocopy.Semaphore, 1))
}

var endsCases = []endsCase{
	{"tcp <- file", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), s.file() }},
	{"tcp <- limit(file)", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), limit(s.file()) }},
	{"tcp <- limit(limit(file))", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), limit(limit(s.file())) }},
	{"tcp <- struct{io.Reader}", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), struct{ io.Reader }{s.file()} }},
	{"tcp <- io.TeeReader(file)", func(s *stage) (io.Writer, io.Reader) {
		return s.tcp(), io.TeeReader(s.file(), io.Discard)
	}},
	{"tcp <- io.SectionReader(file)", func(s *stage) (io.Writer, io.Reader) {
		return s.tcp(), io.NewSectionReader(s.file(), 1000, fileBytes)
	}},
	{"tcp <- io.MultiReader(header, file)", func(s *stage) (io.Writer, io.Reader) {
		return s.tcp(), io.MultiReader(strings.NewReader("header"), s.file())
	}},
	{"tcp <- bufio.Reader(file)", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), bufio.NewReader(s.file()) }},
	{"tcp <- io.NopCloser(file)", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), io.NopCloser(s.file()) }},
	{"tcp <- file of os.Root", func(s *stage) (io.Writer, io.Reader) {
		s.file()
		root := must(os.OpenRoot(s.dir))
		s.doors = append(s.doors, func() { root.Close() })
		return s.tcp(), s.keep(must(root.Open("data")))
	}},
	{"tcp <- struct{*os.File}", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), plainFile{s.file()} }},
	{"tcp <- struct{*os.File} with Read", func(s *stage) (io.Writer, io.Reader) {
		return s.tcp(), &readFile{File: s.file()}
	}},
	{"tcp <- reader that forwards WriteTo", func(s *stage) (io.Writer, io.Reader) {
		return s.tcp(), forwardsWriteTo{s.file()}
	}},
	{"tcp <- limit(that reader)", func(s *stage) (io.Writer, io.Reader) {
		return s.tcp(), limit(forwardsWriteTo{s.file()})
	}},
	{"tcp <- pipe", func(s *stage) (io.Writer, io.Reader) {
		r, w := s.pipe()
		go func() {
			w.Write(pattern(feedBytes))
			w.Close()
		}()
		return s.tcp(), r
	}},
	{"tcp <- file of /proc", func(s *stage) (io.Writer, io.Reader) {
		return s.tcp(), s.keep(must(os.Open("/proc/self/status")))
	}},
	{"bufio.Writer(tcp) <- file", func(s *stage) (io.Writer, io.Reader) { return bufio.NewWriter(s.tcp()), s.file() }},
	{"io.MultiWriter(tcp) <- file", func(s *stage) (io.Writer, io.Reader) { return io.MultiWriter(s.tcp()), s.file() }},
	{"struct{io.Writer} <- file", func(s *stage) (io.Writer, io.Reader) { return struct{ io.Writer }{s.tcp()}, s.file() }},
	{"struct{net.Conn} <- file", func(s *stage) (io.Writer, io.Reader) { return struct{ net.Conn }{s.tcp()}, s.file() }},
	{"struct{*net.TCPConn} with Write <- file", func(s *stage) (io.Writer, io.Reader) {
		return &writeConn{TCPConn: s.tcp()}, s.file()
	}},
	{"writer that forwards ReadFrom <- file", func(s *stage) (io.Writer, io.Reader) {
		return forwardsReadFrom{s.tcp()}, s.file()
	}},
	{"unix <- file", func(s *stage) (io.Writer, io.Reader) { return s.unix(), s.file() }},
	{"unix <- limit(file)", func(s *stage) (io.Writer, io.Reader) { return s.unix(), limit(s.file()) }},
	{"tcp <- Reader(file)", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), s.reader(s.file()) }},
	{"tcp <- limit(Reader(file))", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), limit(s.reader(s.file())) }},
	{"tcp <- Section(file)", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), s.section() }},
	{"Writer(tcp) <- limit(limit(file))", func(s *stage) (io.Writer, io.Reader) {
		return zerocopy.NewWriter(s.tcp(), s.counting()), limit(limit(s.file()))
	}},
	{"Conn(tcp) <- limit(limit(file))", func(s *stage) (io.Writer, io.Reader) {
		return s.conn(s.tcp()), limit(limit(s.file()))
	}},
	{"Conn(tcp) <- limit(Reader(file))", func(s *stage) (io.Writer, io.Reader) {
		return s.conn(s.tcp()), limit(s.reader(s.file()))
	}},
	{"Conn(tcp) <- limit(Section(file))", func(s *stage) (io.Writer, io.Reader) {
		return s.conn(s.tcp()), limit(s.section())
	}},
	{"Conn(struct{net.Conn}) <- file", func(s *stage) (io.Writer, io.Reader) {
		return s.conn(struct{ net.Conn }{s.tcp()}), s.file()
	}},

	{"tcp <- tcp", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), s.feedTCP() }},
	{"tcp <- limit(tcp)", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), limit(s.feedTCP()) }},
	{"tcp <- limit(limit(tcp))", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), limit(limit(s.feedTCP())) }},
	{"tcp <- bufio.Reader(tcp)", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), bufio.NewReader(s.feedTCP()) }},
	{"bufio.Writer(tcp) <- tcp", func(s *stage) (io.Writer, io.Reader) { return bufio.NewWriter(s.tcp()), s.feedTCP() }},
	{"tcp <- struct{net.Conn}", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), struct{ net.Conn }{s.feedTCP()} }},
	{"tcp <- struct{*net.TCPConn} with Read", func(s *stage) (io.Writer, io.Reader) {
		return s.tcp(), &readConn{TCPConn: s.feedTCP()}
	}},
	{"tcp <- unix", func(s *stage) (io.Writer, io.Reader) { return s.tcp(), s.feed("unix") }},
	{"unix <- tcp", func(s *stage) (io.Writer, io.Reader) { return s.unix(), s.feedTCP() }},
	{"unix <- limit(tcp)", func(s *stage) (io.Writer, io.Reader) { return s.unix(), limit(s.feedTCP()) }},
	{"unix <- unix", func(s *stage) (io.Writer, io.Reader) { return s.unix(), s.feed("unix") }},
	{"Conn(tcp) <- Conn(tcp)", func(s *stage) (io.Writer, io.Reader) { return s.conn(s.tcp()), s.conn(s.feedTCP()) }},
	{"file <- tcp", func(s *stage) (io.Writer, io.Reader) { return s.target(0), s.feedTCP() }},
	{"file <- Conn(tcp)", func(s *stage) (io.Writer, io.Reader) { return s.target(0), s.conn(s.feedTCP()) }},
	{"file with O_APPEND <- tcp", func(s *stage) (io.Writer, io.Reader) { return s.target(os.O_APPEND), s.feedTCP() }},
	{"pipe <- tcp", func(s *stage) (io.Writer, io.Reader) {
		r, w := s.pipe()
		s.drain(r, func() { w.Close() })
		return w, s.feedTCP()
	}},
	{"file <- file", func(s *stage) (io.Writer, io.Reader) { return s.target(0), s.file() }},
	{"file <- limit(limit(file))", func(s *stage) (io.Writer, io.Reader) { return s.target(0), limit(limit(s.file())) }},
	{"file <- Section(file)", func(s *stage) (io.Writer, io.Reader) { return s.target(0), s.section() }},
}
