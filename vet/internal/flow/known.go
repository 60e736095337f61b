package flow

// maker is what is known of the first result of a function.
type maker struct {
	typ     string            // its concrete type, if the signature says an interface
	network map[string]string // its concrete type by the argument named network
	holds   int               // which argument it holds, counted from 1
}

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
