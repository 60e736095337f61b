package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

const (
	headerBytesMax   = 64 << 10 // longer headers get status 431
	inputBytes       = 4 << 10  // read at first; longer headers take more
	deadlineFraction = 16       // an idle deadline is renewed after a sixteenth of its time
)

// serve handles requests until the connection ends. What was read after a PROXY header is the part read of
// buf.
func (c *client) serve(buf *[inputBytes]byte, read []byte) {
	x := c.server.pools.exchanges.Get().(*exchange)
	x.client = c
	x.buf, x.in = buf, read
	if c.loop(x); x.lingers {
		c.linger()
	}
	x.reset()
	c.server.pools.exchanges.Put(x)
	c.close()
	c.server.release(c)
}

// exchange holds the state of reading and answering one request. It is reused for the next one.
type exchange struct {
	client  *client
	in      []byte // bytes read but not used
	buf     *[inputBytes]byte
	request http1Request
	reply   reply
	outcome outcome
	blanks  int       // line ends to skip before the next request, at most
	idleSet time.Time // when the read deadline was set
	lingers bool      // a complete response was the last one of its connection
}

// pools hold exchanges and their buffers for reuse.
type pools struct{ exchanges, inputs, replies sync.Pool }

func newExchange() *exchange {
	x := &exchange{}
	x.request.header = http.Header{}
	x.reply.header = http.Header{}
	x.reply.x = x
	return x
}

func (x *exchange) reset() {
	x.in = x.in[:0]
	x.returnInput()
	x.request.reset()
	x.reply.reset()
	x.client, x.blanks, x.idleSet, x.outcome, x.lingers = nil, 0, time.Time{}, outcome{}, false
}

// returnInput returns the input buffer to its pool if it is empty: a download may take hours.
func (x *exchange) returnInput() {
	if x.buf != nil && len(x.in) == 0 {
		x.client.server.pools.inputs.Put(x.buf)
		x.buf, x.in = nil, nil
	}
}

// loop handles requests until one is the last of its connection.
func (c *client) loop(x *exchange) {
	for now, first := time.Now(), true; ; first = false {
		n, end, wrong := c.readHeader(x, now, first)
		if n == 0 && wrong.status == 0 {
			return
		}
		began := time.Now()
		if n > 0 {
			wrong = x.request.parse(x.in[:n-end], c.remote)
		}
		if wrong.status != 0 {
			c.refuse(requestLine(x.in), wrong)
			x.lingers = true
			return
		}
		x.in = x.in[n:]
		if x.blanks = 0; x.request.Method == http.MethodPost {
			x.blanks = len("\r\n\r\n")
		}
		if !c.handleRequest(x, began) || !c.skipBody(x, began) {
			return
		}
		now = x.outcome.ended() // reading the clock again would take time
		if !c.markIdle(now) {
			return
		}
	}
}

// readHeader reads until the input begins with a complete header, and returns what headerLen does. If the
// header is too long, late or incomplete, it returns a refusal, and if the connection has ended nothing. It
// begins at the time now.
func (c *client) readHeader(x *exchange, now time.Time, first bool) (n, end int, wrong refusal) {
	if x.buf == nil {
		x.buf = c.server.pools.inputs.Get().(*[inputBytes]byte)
	}
	if len(x.in) == 0 {
		x.in = x.buf[:0]
	}
	waiting := len(x.in) == 0
	if !waiting && !c.markReading() || c.readDeadline(x, now, waiting && !first) != nil {
		return 0, 0, refusal{}
	}
	late := false
	for seen := 0; ; {
		x.skipBlankLines()
		if n, end = headerLen(x.in, seen); n == 0 {
			wrong = x.checkPart(seen)
		}
		if n > 0 || wrong.status != 0 {
			break
		}
		if late { // most headers arrive whole; only the others need a deadline of their own
			if late = false; c.readDeadline(x, time.Now(), false) != nil {
				return 0, 0, refusal{}
			}
		}
		seen = len(x.in)
		more, err := c.read(x.room())
		if more == 0 && err != nil {
			if wrong = incomplete(err); seen == 0 || wrong.status == 0 {
				return 0, 0, refusal{}
			}
			break
		}
		if waiting && more > 0 {
			if !c.markReading() {
				return 0, 0, refusal{}
			}
			waiting, late = false, !first
		}
		x.in = x.in[:seen+more]
	}
	if !c.markBusy() {
		return 0, 0, refusal{}
	}
	return n, end, wrong
}

// skipBlankLines removes what old clients send after the body of a POST.
func (x *exchange) skipBlankLines() {
	for x.blanks > 0 && len(x.in) > 0 && (x.in[0] == '\r' || x.in[0] == '\n') {
		x.in = x.in[1:]
		x.blanks--
	}
}

// checkPart checks a header that is not complete, of which seen bytes were checked before. A client that speaks
// another protocol than HTTP may send no more than a line.
func (x *exchange) checkPart(seen int) refusal {
	if len(x.in) == headerBytesMax {
		return tooLong
	}
	line := bytes.IndexByte(x.in, '\n')
	if line < seen {
		return refusal{}
	}
	return x.request.parseLine(string(bytes.TrimSuffix(x.in[:line], []byte("\r"))))
}

// room returns where to read to. What is longer than the buffer of the pool gets its own.
func (x *exchange) room() []byte {
	switch {
	case cap(x.in) < inputBytes, len(x.in) < inputBytes && len(x.in) == cap(x.in):
		x.in = x.buf[:copy(x.buf[:], x.in)]
	case len(x.in) == cap(x.in):
		x.in = append(make([]byte, 0, min(4*len(x.in), headerBytesMax)), x.in...)
	}
	return x.in[len(x.in):min(cap(x.in), headerBytesMax)]
}

// incomplete says why the rest of a header cannot be read. If the connection has failed, that needs no response.
func incomplete(err error) refusal {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refusal{http.StatusRequestTimeout, "the header is late"}
	case err == io.EOF:
		return badRequest("the header is incomplete")
	}
	return refusal{}
}

// readDeadline sets the deadline for the next request, or for the rest of a header.
func (c *client) readDeadline(x *exchange, now time.Time, idle bool) error {
	wait := c.server.o.HeaderTimeout
	if idle {
		wait = c.server.o.IdleTimeout
		if now.Sub(x.idleSet) < wait/deadlineFraction {
			return nil
		}
		x.idleSet = now
	} else {
		x.idleSet = time.Time{}
	}
	return c.conn.SetReadDeadline(now.Add(wait))
}

// handleRequest runs the handler and reports whether the connection can serve another request.
func (c *client) handleRequest(x *exchange, began time.Time) (again bool) {
	s := c.server
	x.outcome = outcome{began: began}
	c.identify(&x.request.Request)
	x.reply.begin(&x.request)
	s.stats.inFlight.Add(1)
	defer func() {
		if why := recover(); why != nil {
			again = false
			if err, ok := why.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				s.o.ErrorLog(fmt.Errorf("serve %s: panic: %v\n%s", x.request.RequestURI, why, debug.Stack()))
			}
		}
		x.outcome.status, x.outcome.bytes = x.reply.status, x.reply.sent
		if c.tls != nil {
			s.countTLS(x.reply.sent)
		}
		s.record(&x.request.Request, &x.outcome)
		x.reply.reset()
	}()
	if c.tls != nil && s.o.HSTS != "" {
		x.reply.header.Set("Strict-Transport-Security", s.o.HSTS)
	}
	s.serveLimited(&x.reply, &x.request.Request, &x.outcome, c, c)
	again = x.reply.end()
	x.lingers = x.reply.complete() && x.reply.closeAfter
	return again
}

// skipBody reads the body of a request, after the response: the client need not have sent it first. It
// reports whether it came in time.
func (c *client) skipBody(x *exchange, began time.Time) bool {
	left := x.request.bodyBytes
	n := min(left, int64(len(x.in)))
	x.in, left = x.in[n:], left-n
	if left == 0 {
		return true
	}
	x.idleSet = time.Time{}
	return c.conn.SetReadDeadline(began.Add(c.server.o.HeaderTimeout)) == nil && c.discard(left) == nil
}

// linger ends the stream to the client and reads a little of what the client may still send.
// Closing a connection with unread bytes resets it, and would lose the end of the response.
func (c *client) linger() {
	if c.tls != nil && c.tls.CloseWrite() != nil {
		return
	}
	if c.conn.CloseWrite() != nil || c.conn.SetReadDeadline(time.Now().Add(lingerWait)) != nil {
		return
	}
	_ = c.discard(lingerBytesMax) // whatever the error, the connection is closed next
}

// discard reads n bytes.
func (c *client) discard(n int64) error {
	buf := c.server.pools.inputs.Get().(*[inputBytes]byte)
	defer c.server.pools.inputs.Put(buf)
	for n > 0 {
		m, err := c.read(buf[:min(n, inputBytes)])
		if n -= int64(m); err != nil && n > 0 {
			return err
		}
	}
	return nil
}
