// Package values has values that are followed through the language.
package values

import (
	"bytes"
	"io"
	"net"
	"os"
	"strings"
)

func show(any)          {}
func inner(any, string) {}

func locals(name string, c bool) {
	f, _ := os.Open(name)
	show(f) // = file *os.File
	var r io.Reader = f
	show(r) // = file *os.File
	var rs io.ReadSeeker = f
	r = rs
	show(r) // = file *os.File
	if c {
		r = strings.NewReader("x")
	}
	show(r) // = *strings.Reader, file *os.File
	if rf, ok := r.(io.ReaderFrom); ok {
		show(rf) // = file *os.File
	}
	if g, ok := r.(*os.File); ok {
		show(g) // = file *os.File
	}
	show(r.(*strings.Reader)) // = *strings.Reader
	var buf bytes.Buffer
	show(&buf) // = *bytes.Buffer
	var none io.Reader
	show(none) // = interface{} ?
	if c {
		none = f
	}
	show(none) // = file *os.File
	type file os.File
	show((*file)(f)) // = *file
	show(3)          // = int
}

func loops(files []*os.File, m map[string]io.Reader, ch chan net.Conn) {
	for _, f := range files {
		show(f) // = file *os.File
	}
	for _, r := range m {
		show(r) // = io.Reader ?
	}
	show(m["a"]) // = io.Reader ?
	show(<-ch)   // = net.Conn ?
	conn, ok := <-ch
	show(conn) // = net.Conn ?
	_ = ok
	var r io.Reader = files[0]
	for range 3 {
		r = io.LimitReader(r, 3)
	}
	show(r) // = *io.LimitedReader, file *os.File
}

func switches(r io.Reader) {
	switch x := r.(type) {
	case *os.File:
		show(x) // = file *os.File
	case *net.TCPConn:
		show(x) // = tcp *net.TCPConn
	case io.WriterTo:
		show(x) // = io.Reader ?
	default:
		show(x) // = io.Reader ?
	}
}

func captured() {
	var r io.Reader
	f, _ := os.Open("x")
	r = f
	func() {
		show(r) // = *bytes.Buffer, file *os.File, pipe *os.File
		func() {
			show(f) // = file *os.File
		}()
		r = new(bytes.Buffer)
	}()
	show(r) // = *bytes.Buffer, file *os.File, pipe *os.File
	set := func(to io.Reader) { r = to }
	set(os.Stdin)
}

func setByOthers() {
	var r io.Reader = os.Stdin
	fill(&r)
	show(r) // = io.Reader, pipe *os.File ?
}

func fill(r *io.Reader) { *r = nil }

func direct(r io.Reader, c net.Conn) {
	show(r) // = *strings.Reader, file *os.File
	show(c) // = tcp *net.TCPConn
}

func callsDirect() {
	f, _ := os.Open("x")
	c, _ := net.Dial("tcp", "x")
	direct(f, c)
	go direct(strings.NewReader("x"), c)
	defer direct(nil, nil)
}

// Exported may be called by others.
func Exported(r io.Reader, f *os.File) {
	show(r) // = *bytes.Buffer, io.Reader ?
	show(f) // = file *os.File
}

func callsExported() { Exported(new(bytes.Buffer), nil) }

func escaping(r io.Reader) {
	show(r) // = file *os.File, io.Reader ?
}

func callsEscaping() {
	f, _ := os.Open("x")
	escaping(f)
	use(escaping)
}

func use(f func(io.Reader)) { f(nil) }

func neverCalled(r io.Reader) {
	show(r) // = io.Reader ?
}

func literals() {
	f, _ := os.Open("x")
	func(r io.Reader) {
		show(r) // = file *os.File
	}(f)
	go func(r io.Reader) {
		show(r) // = file *os.File
	}(f)
	h := func(r io.Reader) {
		show(r) // = file *os.File
	}
	h(f)
	use(func(r io.Reader) {
		show(r) // = io.Reader ?
	})
}

func open() (io.ReadCloser, error) {
	f, err := os.Open("x")
	if err != nil {
		return nil, err
	}
	return f, nil
}

func named() (r io.Reader, err error) {
	defer func() { err = nil }()
	r = os.Stdin
	return
}

func identity(r io.Reader) io.Reader { return r }

func results() {
	r, _ := open()
	show(r) // = file *os.File
	n, _ := named()
	show(n)                                     // = pipe *os.File
	show(identity(r))                           // = file *os.File
	show(identity(strings.NewReader("x")))      // = *strings.Reader
	show(identity(identity(new(bytes.Buffer)))) // = *bytes.Buffer
	show(again(3, r))                           // = file *os.File
	show(outside())                             // = io.Reader ?
}

func again(n int, r io.Reader) io.Reader {
	if n == 0 {
		return r
	}
	return again(n-1, r)
}

var outside func() io.Reader

type holder struct {
	r    io.Reader
	f    *os.File
	conn net.Conn
	any  io.Reader
}

func newHolder(name string) *holder {
	f, _ := os.Open(name)
	h := &holder{r: f, f: f}
	h.conn, _ = net.Dial("unix", "x")
	decode(&h.any)
	return h
}

func decode(any) {}

func (h *holder) use() {
	show(h.r)        // = file *os.File
	show(h.f)        // = file *os.File
	show(h.conn)     // = unix *net.UnixConn
	show(h.any)      // = io.Reader ?
	show(h)          // = *holder
	inner(h, "r")    // = file *os.File
	inner(h, "none") // =
}

func (h holder) byValue() {
	show(h.r) // = file *os.File
}

// Open has fields that others may set.
type Open struct {
	Reader io.Reader
	File   *os.File
	hidden io.Reader
}

func fields(o *Open) {
	show(o.Reader) // = *bytes.Buffer, io.Reader ?
	show(o.File)   // = file *os.File
	show(o.hidden) // = pipe *os.File
}

func setsFields(o *Open) {
	o.Reader = new(bytes.Buffer)
	o.hidden = os.Stdin
}

var (
	global = newGlobal()
	unset  io.Reader
	Global io.Reader = os.Stdin
)

func newGlobal() io.Reader { return strings.NewReader("x") }

func globals() {
	show(global) // = *strings.Reader
	show(unset)  // = io.Reader ?
	show(Global) // = io.Reader, pipe *os.File ?
	show(io.EOF) // = error ?
}

type box[T io.Reader] struct{ v T }

func newBox[T io.Reader](v T) *box[T] { return &box[T]{v} }

func (b *box[T]) get() T { return b.v }

func first[T any](a, b T) T {
	show(a) // = file *os.File, int
	return a
}

func generics(f *os.File, c *net.TCPConn) {
	b := newBox(f)
	show(b)       // = *box[*os.File]
	inner(b, "v") // = file *os.File
	show(b.get()) // = file *os.File
	d := newBox(c)
	inner(d, "v")     // = tcp *net.TCPConn
	show(b.v)         // = file *os.File
	show(d.v)         // = tcp *net.TCPConn
	show(first(f, f)) // = file *os.File
	first(1, 2)
}

type alias = os.File

func aliases(f *alias) {
	show(f) // = file *os.File
}

type source interface{ open() io.Reader }

type disk struct{}

func (disk) open() io.Reader { f, _ := os.Open("x"); return f }

type memory struct{ data string }

func (m *memory) open() io.Reader { return strings.NewReader(m.data) }

func dynamic(c bool, unknown source) {
	var s source = disk{}
	show(s.open()) // = file *os.File
	if c {
		s = &memory{}
	}
	show(s.open())       // = *strings.Reader, file *os.File
	show(unknown.open()) // = io.Reader ?
}

type visitor interface{ visit(io.Reader) }

type show1 struct{}

func (show1) visit(r io.Reader) {
	show(r) // = file *os.File, pipe *os.File
}

func visits(v visitor, f *os.File) {
	v.visit(f)
	show1{}.visit(os.Stdin)
}

type anon struct{ io.Reader }

func structs(f *os.File) {
	s := struct{ io.Reader }{f}
	show(s)            // = struct{io.Reader}
	inner(s, "Reader") // = file *os.File
	a := anon{f}
	inner(a, "Reader")  // = file *os.File
	inner(&a, "Reader") // = file *os.File
	b := a
	inner(b, "Reader")                       // = file *os.File
	inner(anon{}, "Reader")                  // =
	inner(wrap(f), "Reader")                 // = file *os.File
	inner(wrap(nil), "Reader")               // =
	inner(wrap(new(bytes.Buffer)), "Reader") // = *bytes.Buffer
	var reader io.Reader = &a
	inner(reader, "Reader") // = file *os.File
}

func wrap(r io.Reader) io.Reader { return &anon{r} }

type private struct{ Reader io.Reader }

func setsPrivate() *private { return &private{os.Stdin} }

func usesPrivate(p *private) {
	show(p.Reader) // = pipe *os.File
}

var pointer *io.Reader

func stored() {
	var r io.Reader = os.Stdin
	pointer = &r
	show(r) // = io.Reader, pipe *os.File ?
}
