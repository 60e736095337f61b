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
	headerBytesMax   = 64 << 10 // for net/http; more gets status 431
	plainHeaderBytes = 4 << 10  // for this loop; more goes to net/http
	deadlineFraction = 16       // an idle deadline is renewed after a sixteenth of its time
)

// serve handles requests until the connection ends, or until a request is not plain and net/http
// takes over. What was read behind a PROXY header is the part read of buf.
func (c *client) serve(buf *[plainHeaderBytes]byte, read []byte) {
	x := c.server.pools.exchanges.Get().(*exchange)
	x.client = c
	x.buf, x.in = buf, read
	handed := c.loop(x)
	if x.lingers {
		c.linger(x)
	}
	unread := x.unread()
	x.reset()
	c.server.pools.exchanges.Put(x)
	if handed {
		c.handOver(unread, busy)
		return
	}
	_ = c.conn.Close() // nothing is under way on it
	c.server.release(c)
}

// exchange holds the state of reading and answering one request. It is reused for the next one.
type exchange struct {
	client  *client
	in      []byte // bytes read but not used
	buf     *[plainHeaderBytes]byte
	request plainRequest
	reply   reply
	outcome outcome
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

// unread returns a copy of the bytes that were read but not used.
func (x *exchange) unread() []byte { return bytes.Clone(x.in) }

func (x *exchange) reset() {
	x.in = x.in[:0]
	x.returnInput()
	x.request.reset()
	x.reply.reset()
	x.client, x.idleSet, x.outcome, x.lingers = nil, time.Time{}, outcome{}, false
}

// returnInput returns the input buffer to its pool if it is empty: a download may take hours.
func (x *exchange) returnInput() {
	if x.buf != nil && len(x.in) == 0 {
		x.client.server.pools.inputs.Put(x.buf)
		x.buf, x.in = nil, nil
	}
}

// loop reports whether the connection must be handed over.
func (c *client) loop(x *exchange) (handOver bool) {
	for now, first := time.Now(), true; ; first = false {
		header, ok := c.readHeader(x, now, first)
		switch {
		case !ok:
			return false
		case header == 0:
			return true
		}
		began := time.Now()
		if !x.request.parse(x.in[:header], c.remote) {
			return true
		}
		x.in = x.in[header:]
		if !c.handleRequest(x, began) {
			return false
		}
		now = x.outcome.ended() // reading the clock again would take time
		if !c.markIdle(now) {
			return false
		}
	}
}

// readHeader reads until the input begins with a complete header, and returns its length, or 0 if
// the header is not plain. It reports false if the connection has ended. It begins at the time now.
func (c *client) readHeader(x *exchange, now time.Time, first bool) (int, bool) {
	if x.buf == nil {
		x.buf = c.server.pools.inputs.Get().(*[plainHeaderBytes]byte)
		x.in = x.buf[:0]
	}
	waiting := len(x.in) == 0
	if !waiting && !c.markReading() {
		return 0, false
	}
	if err := c.readDeadline(x, now, waiting && !first); err != nil {
		return 0, false
	}
	for {
		if i := bytes.Index(x.in, headerEnd); i >= 0 {
			return i + len(headerEnd), c.markBusy()
		}
		if len(x.in) == plainHeaderBytes || (len(x.in) > 0 && !mayBePlain(x.in)) || hasBareLF(x.in) {
			return 0, c.markBusy()
		}
		if cap(x.in) < plainHeaderBytes {
			x.in = x.buf[:copy(x.buf[:], x.in)]
		}
		n, err := c.conn.Read(x.in[len(x.in):plainHeaderBytes])
		if n == 0 && err == nil {
			continue
		}
		if err != nil {
			if len(x.in) > 0 && errors.Is(err, os.ErrDeadlineExceeded) {
				c.refuseSlowHeader(x.in)
			}
			return 0, false
		}
		if waiting && !c.markReading() {
			return 0, false
		}
		x.in = x.in[:len(x.in)+n]
		if waiting && !first && !bytes.Contains(x.in, headerEnd) {
			// Most headers arrive whole; only the others need a deadline of their own.
			if err := c.readDeadline(x, time.Now(), false); err != nil {
				return 0, false
			}
		}
		waiting = false
	}
}

var headerEnd = []byte("\r\n\r\n")

// refuseSlowHeader tells a client that the time for its header is over.
func (c *client) refuseSlowHeader(header []byte) {
	n, _ := io.WriteString(c, timeoutResponse) // an error means that the client is gone
	if status, body, ok := parseResponse([]byte(timeoutResponse)[:n]); ok {
		c.recordRefusal(requestLine(header), status, body)
	}
}

// hasBareLF reports whether a line ends without a CR. Servers that accept such lines may see the
// end of the header earlier.
func hasBareLF(b []byte) bool {
	for i, c := range b {
		if c == '\n' && (i == 0 || b[i-1] != '\r') {
			return true
		}
	}
	return false
}

// readDeadline sets the deadline for the next request, or for the rest of a header.
func (c *client) readDeadline(x *exchange, now time.Time, idle bool) error {
	wait := c.server.o.HeaderTimeout
	if idle {
		wait = c.server.o.IdleTimeout
		c.headerBy = time.Time{}
		if now.Sub(x.idleSet) < wait/deadlineFraction {
			return nil
		}
		x.idleSet = now
	} else {
		x.idleSet = time.Time{}
		c.headerBy = now.Add(wait)
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
		s.record(&x.request.Request, &x.outcome)
		x.reply.reset()
	}()
	s.serveLimited(&x.reply, &x.request.Request, &x.outcome, c, c)
	again = x.reply.end()
	x.lingers = x.reply.complete() && x.reply.closeAfter
	return again
}

// linger ends the stream to the client and reads a little of what the client may still send.
// Closing a connection with unread bytes resets it, and would lose the end of the response.
func (c *client) linger(x *exchange) {
	if c.conn.CloseWrite() != nil || c.conn.SetReadDeadline(time.Now().Add(lingerWait)) != nil {
		return
	}
	if x.buf == nil {
		x.buf = c.server.pools.inputs.Get().(*[plainHeaderBytes]byte)
	}
	for left := lingerBytesMax; left > 0; {
		n, err := c.conn.Read(x.buf[:])
		if err != nil {
			return
		}
		left -= n
	}
}
