package flow

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// Kind is what a value is to the kernel.
type Kind uint8

// The kinds.
const (
	Unknown  Kind = iota
	File          // a regular file, as far as one can tell: *os.File from os.Open, os.Root, a parameter
	Pipe          // an *os.File that is no regular file: os.Stdout, os.Stdin, os.Pipe
	TCP           // a *net.TCPConn, or a net.Conn of net.Dial with a network that is no constant
	Unix          // a *net.UnixConn
	Response      // an http.ResponseWriter as a handler gets it
	Body          // the body of a request or response
)

// KindOf returns what v is.
func (p *world) KindOf(v Value) Kind {
	if v.kind != Unknown {
		return v.kind
	}
	switch v.TypeName() {
	case "*net.TCPConn":
		return TCP
	case "*net.UnixConn":
		return Unix
	case "*os.File":
		return kindOfFile(v.At)
	case "*net/http.response":
		return Response
	}
	return Unknown
}

// kindOfFile tells regular files from others by how they were opened.
func kindOfFile(at ssa.Value) Kind {
	call, _ := callOf(at)
	if call == nil {
		return File
	}
	name := shape.FullName(calleeOf(call.Common()))
	switch {
	case name == "os.NewFile":
		return Unknown
	case pipes[name]:
		return Pipe
	case !opens[name]:
		return File
	}
	if c, ok := call.Common().Args[0].(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.String {
		path := constant.StringVal(c.Value)
		if slices.ContainsFunc(devices, func(dir string) bool { return strings.HasPrefix(path, dir) }) {
			return Pipe
		}
	}
	return File
}

// kindOfGlobal knows the variables of package os.
func kindOfGlobal(v variable) Kind {
	global, ok := v.(*ssa.Global)
	if !ok || global.Pkg == nil || global.Pkg.Pkg.Path() != "os" {
		return Unknown
	}
	switch global.Name() {
	case "Stdin", "Stdout", "Stderr":
		return Pipe
	}
	return Unknown
}

// kindOfField knows the bodies of package net/http.
func kindOfField(struct_ types.Type, field *types.Var) Kind {
	if field.Name() != "Body" {
		return Unknown
	}
	t := types.TypeString(shape.Deref(struct_), nil)
	if t == "net/http.Request" || t == "net/http.Response" {
		return Body
	}
	return Unknown
}

// kindOfParam knows the response of a handler: an http.ResponseWriter beside an *http.Request.
func kindOfParam(v *ssa.Parameter) Kind {
	if !shape.Is(v.Type(), "net/http.ResponseWriter") {
		return Unknown
	}
	for param := range v.Parent().Signature.Params().Variables() {
		if shape.Is(param.Type(), "*net/http.Request") {
			return Response
		}
	}
	return Unknown
}

// maker is what is known of the first result of a function.
type maker struct {
	typ     string            // its concrete type, if the signature says an interface
	network map[string]string // its concrete type by the argument named network
	holds   int               // which argument it holds, counted from 1
}

// of reports whether m says something of the i-th result.
func (m maker) of(i int) bool { return i == 0 && (m.typ != "" || m.network != nil || m.holds > 0) }

// makers are functions of the standard library, and of types of it that are not exported.
var makers = map[string]maker{
	"io.LimitReader":                 {typ: "*io.LimitedReader", holds: 1},
	"io.TeeReader":                   {typ: "*io.teeReader", holds: 1},
	"io.MultiReader":                 {typ: "*io.multiReader", holds: 1},
	"io.MultiWriter":                 {typ: "*io.multiWriter", holds: 1},
	"io.NopCloser":                   {typ: "io.nopCloser", holds: 1},
	"io.NewSectionReader":            {holds: 1},
	"io.NewOffsetWriter":             {holds: 1},
	"bufio.NewReader":                {holds: 1},
	"bufio.NewReaderSize":            {holds: 1},
	"bufio.NewWriter":                {holds: 1},
	"bufio.NewWriterSize":            {holds: 1},
	"bufio.NewReadWriter":            {holds: 1},
	"net/http.MaxBytesReader":        {typ: "*net/http.maxBytesReader", holds: 2},
	"net/http.NewResponseController": {holds: 1},
	"net/http.FS":                    {typ: "net/http.ioFS", holds: 1},
	"net/http.FileServer":            {typ: "*net/http.fileHandler", holds: 1},
	"net/http.FileServerFS":          {typ: "*net/http.fileHandler", holds: 1},

	"os.DirFS":                  {typ: "os.dirFS"},
	"(*os.Root).FS":             {typ: "*os.rootFS"},
	"(os.dirFS).Open":           {typ: "*os.File"},
	"(*os.rootFS).Open":         {typ: "*os.File"},
	"(net/http.Dir).Open":       {typ: "*os.File"},
	"(*os/exec.Cmd).StdinPipe":  {typ: "*os.File"},
	"(*os/exec.Cmd).StdoutPipe": {typ: "*os.File"},
	"(*os/exec.Cmd).StderrPipe": {typ: "*os.File"},

	"net.Dial":                      {network: conns},
	"net.DialTimeout":               {network: conns},
	"(*net.Dialer).Dial":            {network: conns},
	"(*net.Dialer).DialContext":     {network: conns},
	"net.Listen":                    {network: listeners},
	"(*net.ListenConfig).Listen":    {network: listeners},
	"(*net.TCPListener).Accept":     {typ: "*net.TCPConn"},
	"(*net.UnixListener).Accept":    {typ: "*net.UnixConn"},
	"net.Pipe":                      {typ: "*net.pipe"},
	"crypto/tls.NewListener":        {typ: "*crypto/tls.listener", holds: 1},
	"crypto/tls.Listen":             {typ: "*crypto/tls.listener"},
	"(*crypto/tls.listener).Accept": {typ: "*crypto/tls.Conn"},
	"compress/flate.NewReader":      {typ: "*compress/flate.decompressor", holds: 1},
	"compress/zlib.NewReader":       {typ: "*compress/zlib.reader", holds: 1},
	"compress/bzip2.NewReader":      {typ: "*compress/bzip2.reader", holds: 1},
	"compress/gzip.NewReader":       {holds: 1},
	"compress/gzip.NewWriter":       {holds: 1},
	"compress/gzip.NewWriterLevel":  {holds: 1},
}

// pipes are the functions whose *os.File is no regular file.
var pipes = map[string]bool{
	"os.Pipe": true, "(*net.conn).File": true,
	"(*os/exec.Cmd).StdinPipe": true, "(*os/exec.Cmd).StdoutPipe": true, "(*os/exec.Cmd).StderrPipe": true,
}

// opens are the functions whose first argument is the name of the file that they open.
var opens = map[string]bool{"os.Open": true, "os.OpenFile": true, "os.Create": true}

// devices are folders without regular files.
var devices = []string{"/dev/", "/proc/", "/sys/"}

// conns and listeners are the types of package net by network.
var (
	conns = map[string]string{
		"tcp": "*net.TCPConn", "unix": "*net.UnixConn", "udp": "*net.UDPConn", "ip": "*net.IPConn",
	}
	listeners = map[string]string{"tcp": "*net.TCPListener", "unix": "*net.UnixListener"}
)

// Pair is what arrives at a copy by one call of the function that has it. Values has what arrives by all of
// them: of a helper that is called with (conn, file) and (stdout, pipe), it does not say that conn never
// meets pipe.
type Pair struct {
	Call     ssa.CallInstruction // nil if it is any call from elsewhere, or does not matter
	Dst, Src []Value
}

// Pairs returns what arrives together at a copy. It is safe for concurrent use.
func (p *world) Pairs(c Copy) []Pair {
	p.mu.Lock()
	defer p.mu.Unlock()
	fn := c.Call.Parent()
	calls := p.index.callsOf(fn)
	if len(calls) == 0 || len(fn.Params) == 0 {
		return []Pair{{nil, p.values(c.Dst), p.values(c.Src)}}
	}
	t := p.newTrace()
	var pairs []Pair
	for _, call := range calls {
		f := t.enter(call, fn, nil)
		pairs = append(pairs, Pair{call, p.newTrace().follow(c.Dst, f), p.newTrace().follow(c.Src, f)})
	}
	if p.index.hasUnknownCallers(fn) {
		f := t.enter(nil, fn, nil)
		pairs = append(pairs, Pair{nil, p.newTrace().follow(c.Dst, f), p.newTrace().follow(c.Src, f)})
	}
	return pairs
}
