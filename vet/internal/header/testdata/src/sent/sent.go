// Package sent does something to responses, and then copies to them.
package sent

import (
	"fmt"
	"html/template"
	"io"
	"net/http"
	"time"
)

var f io.Reader

const key = "Content-Length"

func plain(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	w.Header().Set("Content-Type", "text/plain")
	http.SetCookie(w, nil)
	http.NewResponseController(w).SetWriteDeadline(time.Time{})
	io.Copy(w, f) // want `^state: handler$`
	w.Header().Set("Content-Length", "1")
}

// The length.

func sets(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "1")
	io.Copy(w, f) // want `^state: handler length$`
}

func adds(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Add("content-length", "1")
	io.Copy(w, f) // want `^state: handler length$`
}

func indexes(w http.ResponseWriter, r *http.Request) {
	w.Header()[key] = []string{"1"}
	io.Copy(w, f) // want `^state: handler length$`
}

func canonical(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(http.CanonicalHeaderKey("content-length"), "1")
	io.Copy(w, f) // want `^state: handler length$`
}

func sometimes(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 {
		w.Header().Set("Content-Length", "1")
	}
	io.Copy(w, f) // want `^state: handler length$`
}

func elsewhere(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 {
		w.Header().Set("Content-Length", "1")
	} else {
		io.Copy(w, f) // want `^state: handler$`
	}
}

func ofAnother(w http.ResponseWriter, r *http.Request) {
	r.Header.Set("Content-Length", "1")
	make(http.Header).Set("Content-Length", "1")
	io.Copy(w, f) // want `^state: handler$`
}

func loops(w http.ResponseWriter, r *http.Request) {
	for range 2 {
		io.Copy(w, f) // want `^state: repeated: handler length$`
		w.Header().Set("Content-Length", "1")
	}
}

func unknownKey(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(r.Method, "1")
	io.Copy(w, f) // want `^state: handler unknown$`
}

// The encoding.

func encodes(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	io.Copy(w, f) // want `^state: handler encoded$`
}

func encodesSomehow(w http.ResponseWriter, r *http.Request) {
	w.Header()["Content-Encoding"] = []string{r.Method}
	io.Copy(w, f) // want `^state: handler encoded$`
}

func encodesByName(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Encoding", r.Method)
	io.Copy(w, f) // want `^state: handler encoded$`
}

func identity(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Encoding", "Identity")
	w.Header().Set("Content-Encoding", "")
	io.Copy(w, f) // want `^state: handler$`
}

func deletes(w http.ResponseWriter, r *http.Request) {
	w.Header().Del("X")
	io.Copy(w, f) // want `^state: handler$`
}

func deletesEncoding(w http.ResponseWriter, r *http.Request) {
	w.Header().Del("content-encoding")
	io.Copy(w, f) // want `^state: handler unknown$`
}

func deletesSomething(w http.ResponseWriter, r *http.Request) {
	w.Header().Del(r.Method)
	io.Copy(w, f) // want `^state: handler unknown$`
}

// The body has begun.

func chunks(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Transfer-Encoding", "chunked")
	io.Copy(w, f) // want `^state: handler framed$`
}

func written(w http.ResponseWriter, r *http.Request) {
	w.Write(nil)
	io.Copy(w, f) // want `^state: handler framed$`
}

func prints(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, "<pre>")
	io.Copy(w, f) // want `^state: handler framed$`
}

func flushes(w http.ResponseWriter, r *http.Request) {
	if flusher, ok := w.(http.Flusher); ok {
		flusher.Flush()
	}
	io.Copy(w, f) // want `^state: handler framed$`
}

func controls(w http.ResponseWriter, r *http.Request) {
	c := http.NewResponseController(w)
	c.Flush()
	io.Copy(w, f) // want `^state: handler framed$`
}

func another(w http.ResponseWriter, r *http.Request, other http.ResponseWriter) {
	other.Write(nil)
	http.NewResponseController(other).Flush()
	io.Copy(w, f) // want `^state: $`
}

// Where it can't be followed.

var (
	hook func(http.ResponseWriter)
	kept struct{ w io.Writer }
	page *template.Template
)

func hooks(w http.ResponseWriter, r *http.Request) {
	hook(w)
	io.Copy(w, f) // want `^state: handler unknown$`
}

func keeps(w http.ResponseWriter, r *http.Request) {
	kept.w = w
	io.Copy(w, f) // want `^state: handler unknown$`
}

func renders(w http.ResponseWriter, r *http.Request) {
	page.Execute(w, nil)
	io.Copy(w, f) // want `^state: handler unknown$`
}

func pushes(w http.ResponseWriter, r *http.Request) {
	w.(http.Pusher).Push("", nil)
	io.Copy(w, f) // want `^state: handler unknown$`
}

func boundMethod(w http.ResponseWriter, r *http.Request) {
	set := w.Header().Set
	set("Content-Length", "1")
	io.Copy(w, f) // want `^state: handler unknown$`
}

func wraps(w http.ResponseWriter, r *http.Request) {
	io.Copy(struct{ http.ResponseWriter }{w}, f) // want `^state: unknown$`
}

// Functions of the package.

func setLength(w http.ResponseWriter) { setIn(w.Header()) }
func setIn(h http.Header)             { h.Set("Content-Length", "1") }
func nothing(w http.ResponseWriter)   { w.Header().Get("X") }
func setOf[T any](w http.ResponseWriter, v T) {
	w.Header().Set("Content-Length", fmt.Sprint(v))
}

func recursive(w http.ResponseWriter, n int) {
	if n > 0 {
		recursive(w, n-1)
	}
	w.Header().Set("Content-Length", "1")
}

func helps(w http.ResponseWriter, r *http.Request) {
	setLength(w)
	io.Copy(w, f) // want `^state: handler length$`
}

func helpsNot(w http.ResponseWriter, r *http.Request) {
	nothing(w)
	io.Copy(w, f) // want `^state: handler$`
}

func helpsGeneric(w http.ResponseWriter, r *http.Request) {
	setOf(w, 1)
	io.Copy(w, f) // want `^state: handler length$`
}

func helpsRecursive(w http.ResponseWriter, r *http.Request) {
	recursive(w, 2)
	io.Copy(w, f) // want `^state: handler length$`
}

func helpsAtOnce(w http.ResponseWriter, r *http.Request) {
	go setLength(w)
	io.Copy(w, f) // want `^state: handler length$`
}

// Closures.

func closure(w http.ResponseWriter, r *http.Request) {
	set := func() { w.Header().Set("Content-Length", "1") }
	set()
	io.Copy(w, f) // want `^state: handler length$`
}

func closureOfHeader(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	func() { h.Set("Content-Length", "1") }()
	io.Copy(w, f) // want `^state: handler length$`
}

func deferred(w http.ResponseWriter, r *http.Request) {
	defer func() { w.Header().Set("Content-Length", "1") }()
	io.Copy(w, f) // want `^state: handler$`
}

func inClosure(w http.ResponseWriter, r *http.Request) {
	send := func() {
		io.Copy(w, f) // want `^state: handler length$`
	}
	w.Header().Set("Content-Length", "1")
	send()
}

func inClosureAlone(w http.ResponseWriter, r *http.Request) {
	send := func() {
		io.Copy(w, f) // want `^state: handler$`
	}
	send()
}

// Callers.

func send(w http.ResponseWriter) {
	io.Copy(w, f) // want `^state: handler \| handler length$`
}

func calls(w http.ResponseWriter, r *http.Request) { send(w) }

func callsWithLength(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "1")
	send(w)
}

func sendGeneric[T io.Reader](w http.ResponseWriter, src T) {
	io.Copy(w, src) // want `^state: handler encoded$`
}

func callsGeneric(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Encoding", "br")
	sendGeneric(w, f)
}

func uncalled(w http.ResponseWriter) {
	io.Copy(w, f) // want `^state: $`
}

type server struct{}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.send(w)
	io.Copy(w, f) // want `^state: handler framed$`
}

func (s *server) send(w http.ResponseWriter) {
	io.Copy(w, f) // want `^state: handler$`
}

type response = http.ResponseWriter

func alias(w response, r *http.Request) {
	io.Copy(w, f) // want `^state: handler$`
}

func result(w http.ResponseWriter, r *http.Request) error {
	_, err := io.Copy(w, f) // want `^state: $`
	return err
}

// Six callers of callers are followed.

func depth0(w http.ResponseWriter, r *http.Request) { depth1(w) }

func depth1(w http.ResponseWriter) { depth2(w) }
func depth2(w http.ResponseWriter) { depth3(w) }
func depth3(w http.ResponseWriter) { depth4(w) }
func depth4(w http.ResponseWriter) { depth5(w) }
func depth5(w http.ResponseWriter) {
	io.Copy(w, f) // want `^state: handler$`
	depth6(w)
}

func depth6(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "1")
	depth7(w)
}

func depth7(w http.ResponseWriter) {
	io.Copy(w, f) // want `^state: length framed unknown$`
}
