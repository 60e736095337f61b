// Package known has values that the standard library makes.
package known

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
)

func show(any)          {}
func inner(any, string) {}

func files(root *os.Root, name string) {
	a, _ := os.Open(name)
	show(a) // = file *os.File
	b, _ := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	show(b) // = pipe *os.File
	c, _ := root.Open(name)
	show(c) // = file *os.File
	r, w, _ := os.Pipe()
	show(r)                  // = pipe *os.File
	show(w)                  // = pipe *os.File
	show(os.NewFile(3, "3")) // = *os.File
	show(os.Stderr)          // = pipe *os.File
	d, _ := os.DirFS("x").Open(name)
	show(d) // = file *os.File
	e, _ := root.FS().Open(name)
	show(e) // = file *os.File
	g, _ := http.Dir("x").Open(name)
	show(g)             // = file *os.File
	show(os.DirFS("x")) // = os.dirFS
	show(root.FS())     // = *os.rootFS
	out, _ := exec.Command("x").StdoutPipe()
	show(out) // = pipe *os.File
	var fsys fs.FS
	h, _ := fsys.Open(name)
	show(h) // = io/fs.File ?
	var hfs http.FileSystem = http.Dir("x")
	i, _ := hfs.Open(name)
	show(i) // = file *os.File
	j, _ := http.FS(os.DirFS("x")).Open(name)
	show(j)                                     // = net/http.ioFile
	inner(http.FS(root.FS()), "")               // = *os.rootFS
	inner(http.FileServer(http.FS(fsys)), "")   // = net/http.ioFS
	inner(http.FileServerFS(os.DirFS("x")), "") // = os.dirFS
}

func conns(network string, d net.Dialer, ctx context.Context, l net.Listener) {
	a, _ := net.Dial("tcp4", "x")
	show(a) // = tcp *net.TCPConn
	b, _ := net.Dial(network, "x")
	show(b) // = tcp net.Conn ?
	c, _ := d.DialContext(ctx, "unix", "x")
	show(c) // = unix *net.UnixConn
	e, _ := net.Dial("udp", "x")
	show(e) // = *net.UDPConn
	ln, _ := net.Listen("tcp", "x")
	show(ln) // = *net.TCPListener
	f, _ := ln.Accept()
	show(f) // = tcp *net.TCPConn
	g, _ := l.Accept()
	show(g) // = net.Conn ?
	h, _ := tls.NewListener(ln, nil).Accept()
	show(h) // = *crypto/tls.Conn
	tl, _ := net.ListenTCP("tcp", nil)
	i, _ := tl.AcceptTCP()
	show(i) // = tcp *net.TCPConn
	file, _ := i.File()
	show(file) // = pipe *os.File
	ul, _ := net.Listen("unix", "x")
	j, _ := ul.Accept()
	show(j) // = unix *net.UnixConn
	k, _ := net.Listen(network, "x")
	m, _ := k.Accept()
	show(m) // = net.Conn ?
	var conf net.ListenConfig
	n, _ := conf.Listen(ctx, "tcp", "x")
	show(n) // = *net.TCPListener
	p, q := net.Pipe()
	show(p) // = *net.pipe
	show(q) // = *net.pipe
}

func wrappers(f *os.File, c *net.TCPConn, w http.ResponseWriter) {
	show(io.LimitReader(f, 3))                // = *io.LimitedReader
	inner(io.LimitReader(f, 3), "")           // = file *os.File
	inner(&io.LimitedReader{R: f, N: 3}, "")  // = file *os.File
	inner(&io.LimitedReader{R: f, N: 3}, "R") // = file *os.File
	lr := new(io.LimitedReader)
	lr.R = f
	inner(lr, "")                                           // = file *os.File
	show(lr.R)                                              // = file *os.File, io.Reader ?
	inner(io.NewSectionReader(f, 0, 3), "")                 // = file *os.File
	inner(bufio.NewReader(f), "")                           // = file *os.File
	inner(bufio.NewWriter(c), "")                           // = tcp *net.TCPConn
	show(io.TeeReader(f, c))                                // = *io.teeReader
	inner(io.TeeReader(f, c), "")                           // = file *os.File
	inner(io.MultiReader(new(bytes.Buffer), f), "")         // = *bytes.Buffer, file *os.File
	inner(io.MultiWriter([]io.Writer{c, os.Stdout}...), "") // = pipe *os.File, tcp *net.TCPConn
	inner(io.NopCloser(f), "")                              // = file *os.File
	inner(http.MaxBytesReader(w, f, 3), "")                 // = file *os.File
	inner(http.NewResponseController(w), "")                // = net/http.ResponseWriter ?
	inner(gzip.NewWriter(c), "")                            // = tcp *net.TCPConn
	inner(limited(f), "")                                   // = file *os.File
	inner(limited(c), "")                                   // = tcp *net.TCPConn
	inner(f, "")                                            // =
}

func limited(r io.Reader) io.Reader { return io.LimitReader(r, 3) }
