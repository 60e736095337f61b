package serve

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// A client may open many streams on an HTTP/2 connection and take nothing from them. A stream whose
// handler waits for room holds some 40 KiB, so the number of streams is bounded: on a connection, and
// in the whole server, apart from one for each connection. When there are too many, the one that has
// stood still longest makes room.
const (
	streamsPerConn = 100              // what net/http promises at least
	streamsMax     = 4096             // of all connections, besides the only or first one of each: some 160 MiB
	streamIdleMin  = 5 * time.Second  // a stream that has stood still so long may have to make room
	streamPiece    = 16 << 10         // of a body, written at once: a frame
	h2FrameBytes   = 16 << 10         // of a client; net/http keeps a buffer as large as the longest frame
	h2BodyBytes    = 64 << 10         // of requests, which are not read: the window of a connection
	slowWrite      = time.Millisecond // a write of the connection that takes longer has waited for the client
	busyFor        = time.Second      // a connection counts as busy so long after a slow write
)

// newHTTP2Config returns limits for a server that reads no bodies, and counts the errors of clients.
func newHTTP2Config(s *stats) *http.HTTP2Config {
	return &http.HTTP2Config{
		CountError:                    s.countH2Error,
		MaxConcurrentStreams:          streamsPerConn,
		MaxReadFrameSize:              h2FrameBytes,
		MaxReceiveBufferPerConnection: h2BodyBytes,
		MaxReceiveBufferPerStream:     h2BodyBytes,
	}
}

// streams are the requests over HTTP/2 in progress.
type streams struct {
	wait    time.Duration // without progress, until a stream is given up
	max     int           // extra streams
	idleMin time.Duration // before a stream may have to make room
	server  *Server
	buffers sync.Pool // of *[streamPiece]byte

	mu    sync.Mutex
	open  map[*stream]struct{}
	extra int // those beyond the first of their connection
}

// stream is a request over HTTP/2 in progress.
type stream struct {
	streams *streams
	on      *secured
	out     http.ResponseWriter // of net/http; valid while the stream is open
	extra   bool
	moved   atomic.Int64 // when the client took something last, by the server's clock
	paused  atomic.Bool  // it waits for the rate of its client's address
	timer   *time.Timer
	gaveUp  bool // guarded by streams.mu
}

func newStreams(s *Server) *streams {
	a := &streams{wait: s.o.SendTimeout, max: streamsMax, idleMin: streamIdleMin, server: s, open: map[*stream]struct{}{}}
	a.buffers.New = func() any { return new([streamPiece]byte) }
	return a
}

// begin registers a request. It returns nil if there are too many and none of them has stood still.
func (a *streams) begin(w http.ResponseWriter, on *secured) *stream {
	st := &stream{streams: a, on: on, out: w}
	st.moved.Store(a.server.now())
	a.mu.Lock()
	defer a.mu.Unlock()
	st.extra = on.streams > 0
	if st.extra && a.extra >= a.max && !a.evict() {
		return nil
	}
	if st.extra {
		a.extra++
	}
	on.streams++
	a.open[st] = struct{}{}
	st.timer = time.AfterFunc(a.wait, st.check)
	return st
}

// end forgets a request. From now on only net/http may use its ResponseWriter.
func (st *stream) end() {
	st.timer.Stop()
	a := st.streams
	a.mu.Lock()
	defer a.mu.Unlock()
	if !st.gaveUp {
		a.remove(st)
	}
	delete(a.open, st)
}

// remove takes a stream out of the figures.
func (a *streams) remove(st *stream) {
	st.on.streams--
	if st.extra {
		a.extra--
	}
}

// evict gives up the extra stream that has stood still longest, and reports whether there was one.
func (a *streams) evict() bool {
	var longest *stream
	for st := range a.open {
		if st.extra && !st.gaveUp && (longest == nil || st.moved.Load() < longest.moved.Load()) {
			longest = st
		}
	}
	if longest == nil || a.server.now()-longest.moved.Load() < int64(a.idleMin) {
		return false
	}
	a.giveUp(longest)
	return true
}

// giveUp resets a stream, so that its handler ends.
func (a *streams) giveUp(st *stream) {
	st.gaveUp = true
	a.remove(st)
	a.server.stats.streamsReset.Inc()
	// An error means that there is no stream any more.
	_ = http.NewResponseController(st.out).SetWriteDeadline(time.Unix(1, 0))
}

// check runs when the time of a stream is over. A stream whose connection is busy waits for its turn
// there: it is for the connection's own deadline to say whether that makes progress. And a client cannot
// take what its rate does not allow yet.
func (st *stream) check() {
	a := st.streams
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, open := a.open[st]; !open || st.gaveUp {
		return
	}
	still := time.Duration(a.server.now() - st.moved.Load())
	switch {
	case still < a.wait:
		st.timer.Reset(a.wait - still)
	case st.paused.Load() || st.on.busy(a.server.now()):
		st.timer.Reset(min(busyFor, a.wait))
	default:
		a.giveUp(st)
	}
}

// await waits until the rate of the client's address allows some of want bytes.
func (st *stream) await(ctx context.Context, rate zerocopy.Hook, want int64) (int64, error) {
	st.paused.Store(true)
	allowed, err := rate.Before(ctx, want)
	st.moved.Store(st.streams.server.now()) // it could not move before
	st.paused.Store(false)
	return allowed, err
}

// write writes p in pieces, so that progress is seen.
func (st *stream) write(p []byte) (n int, err error) {
	for err == nil && n < len(p) {
		var m int
		m, err = st.out.Write(p[n:min(n+streamPiece, len(p))])
		n += m
		st.moved.Store(st.streams.server.now())
	}
	return n, err
}

// finish sends what net/http has collected of a body. Of the first stream of a connection that would
// be one frame more for each request, so there net/http does it after end, within the same time. That
// time would not know of a wait for a rate, so where rates are limited the stream does it too.
func (st *stream) finish() {
	to := http.NewResponseController(st.out)
	o := &st.streams.server.o
	// Whatever the error, net/http sees it too.
	if st.extra || o.LimitRate > 0 || o.LimitRatePerIP > 0 {
		_ = to.Flush()
	} else {
		_ = to.SetWriteDeadline(time.Now().Add(st.streams.wait))
	}
}

// socket notes how the writes of a connection go.
type socket struct {
	writing  atomic.Int64 // since when, by the server's clock; 0: no write is in progress
	slowTill atomic.Int64 // the end of the last slow write
}

func (k *socket) begin(now int64) { k.writing.Store(now) }

func (k *socket) end(now int64) {
	if now-k.writing.Swap(0) > int64(slowWrite) {
		k.slowTill.Store(now)
	}
}

// busy reports whether writes wait for the client.
func (k *socket) busy(now int64) bool {
	began := k.writing.Load()
	slow := k.slowTill.Load()
	return began > 0 && now-began > int64(slowWrite) || slow > 0 && now-slow < int64(busyFor)
}
