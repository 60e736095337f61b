package serve

import (
	"net/http"
	"sync"
)

// transferEncoding begins the line of a field that HTTP/1.0 does not have.
const transferEncoding = "transfer-encoding:"

// fieldFinder looks for a line that begins with transferEncoding in each header that net/http reads.
// An empty line ends a header. After a request with a body it no longer knows where headers begin;
// then it remembers every such line, whatever it belongs to.
type fieldFinder struct {
	mu      sync.Mutex // net/http may read the next request during a response
	matched int        // bytes of the current line that match; -1: this line does not
	bytes   int        // of the current line, without CR
	current bool       // the current header has the field
	headers []bool     // of requests that are not handled yet: whether they have it
	lost    bool       // there was a body
	any     bool       // some line was found
}

// read takes the next bytes of the connection.
func (f *fieldFinder) read(p []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range p {
		if b == '\n' {
			if f.bytes == 0 && !f.lost {
				f.headers = append(f.headers, f.current)
				f.current = false
			}
			f.matched, f.bytes = 0, 0
			continue
		}
		if b != '\r' {
			f.bytes++
		}
		switch {
		case f.matched < 0:
		case b|0x20 != transferEncoding[f.matched]: // as a small letter
			f.matched = -1
		default:
			if f.matched++; f.matched == len(transferEncoding) {
				f.current, f.any = true, true
				f.matched = -1
			}
		}
	}
}

// next reports whether the header of the next request to handle has the field, or may have it.
func (f *fieldFinder) next(hasBody bool) (has bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lost || len(f.headers) == 0 {
		return f.any
	}
	has, f.headers = f.headers[0], f.headers[1:]
	if f.lost = hasBody; hasBody {
		f.headers = nil
	}
	return has
}

// isAmbiguous reports whether r, which is the next request of its connection, is of HTTP/1.0 and has a
// Transfer-Encoding. Servers disagree about the length of such a request, which lets a client smuggle
// another one past a proxy (RFC 9112, section 6.1). net/http deletes the field before it calls the
// handler, so watch has to look for it.
func (w *watch) isAmbiguous(r *http.Request) bool {
	return r.ProtoMajor == 1 && w.coding.next(r.ContentLength != 0) && r.ProtoMinor == 0
}
