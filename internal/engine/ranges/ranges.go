// Package ranges reads objects on other machines by ranges, several at once.
//
// A worker pulls a piece, requests it as one range, and visits it block by block as it arrives, so that the bytes
// are in the core's cache when they are searched, and the network is the only buffer. So the workers are the
// connections. There are as many as could ever pay; a gate lets as many of them request ranges as are fastest, and
// finds that number on the way (gate.go).
package ranges

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// blockBytes is how much of a range is visited at once.
var blockBytes = threshold.New("ranges: block", 512<<10, 16)

// stopEvery is how often a scan that is over is noticed while the network is waited for.
const stopEvery = 40 * time.Millisecond

// Engine reads an object.
type Engine struct {
	file   *source.File
	config engine.Config
	gate   *gate

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// Open returns the engine for an object. For any other input it returns a RefusedError. If Config.BlockBytes is
// not 0, blocks have so many bytes. The file must stay open until the engine is closed.
func Open(f *source.File, c engine.Config) (engine.Engine, error) {
	if f.Kind != source.Remote {
		return nil, &failure.EngineError{Engine: "ranges", Name: f.Name, Reason: "it is no remote object"}
	}
	if c.BlockBytes == 0 {
		c.BlockBytes = min(blockBytes.Get(), c.PieceBytes)
	}
	if c.Stop == nil {
		c.Stop = func() bool { return false }
	}
	e := &Engine{file: f, config: c}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.gate = newGate(f.Object(), max(c.Depth, 1), c.PieceBytes)
	e.wg.Go(e.watch)
	return e, nil
}

// watch ends the requests when the scan is over, and lets the gate look at the rate.
func (e *Engine) watch() {
	tick := time.NewTicker(stopEvery)
	defer tick.Stop()
	for {
		select {
		case <-e.ctx.Done():
			e.gate.close()
			return
		case now := <-tick.C:
			if e.config.Stop() {
				e.cancel()
			}
			e.gate.look(now)
		}
	}
}

// Name returns the engine's name in plans and receipts.
func (e *Engine) Name() string { return "ranges" }

// Close ends the requests.
func (e *Engine) Close() error {
	e.cancel()
	e.wg.Wait()
	return nil
}

// NextBytes returns how long the next piece should be if so many bytes are left.
func (e *Engine) NextBytes(left int64) int { return e.gate.pieceBytes(left) }

// Network returns what is known about the way to the server.
func (e *Engine) Network() engine.Network { return e.gate.network() }

// Reader returns a reader for one more worker.
func (e *Engine) Reader() (engine.Reader, error) {
	data := min(int64(e.config.BlockBytes+e.config.AheadBytes), e.file.Bytes)
	memory, err := anon.Map(int(max(data, 1)))
	if err != nil {
		return nil, err
	}
	return &reader{e, memory}, nil
}

type reader struct {
	*Engine
	memory []byte
}

func (r *reader) Close() error {
	err := anon.Unmap(r.memory)
	r.memory = nil
	return err
}

func (r *reader) Run(next engine.Next, visit engine.Visit) error {
	for r.gate.enter() {
		p, ok := next()
		if !ok {
			r.gate.leave()
			return nil
		}
		if !r.piece(p, visit) {
			return nil
		}
	}
	return nil
}

// piece requests a piece and visits it. It leaves the gate when the last bytes are on their way: a visit may wait
// for others.
func (r *reader) piece(p engine.Piece, visit engine.Visit) (goOn bool) {
	inside := true
	leave := func() {
		if inside {
			r.gate.leave()
			inside = false
		}
	}
	defer leave()
	end := min(p.End()+int64(r.config.AheadBytes), r.file.Bytes)
	body := r.file.Object().ReadRange(r.ctx, p.Off, end)
	defer body.Close() // what it brought has been checked
	n := 0             // bytes in memory that belong to the next block
	for pos := p.Off; pos < p.End(); {
		own := min(int64(r.config.BlockBytes), p.End()-pos)
		want := int(min(own+int64(r.config.AheadBytes), end-pos))
		var err error
		for n < want && err == nil {
			var got int
			got, err = body.Read(r.memory[n:want])
			n += got
			if r.gate.received(got, end-pos-int64(n)) {
				leave()
			}
		}
		if r.ctx.Err() != nil {
			return false
		}
		b := engine.Block{Off: pos, Data: r.memory[:n:n], Len: int(min(own, int64(n)))}
		if n < want && int64(b.Len) == own {
			// Only context is missing. The next piece may well get it, so what needs it must not pass as read.
			b.Len = max(n-r.config.AheadBytes, 0)
		}
		pos += int64(b.Len)
		if pos == p.End() || err != nil {
			leave()
		}
		if b.Len > 0 && !visit(p, b, pos == p.End()) {
			return false
		}
		n = copy(r.memory, b.Data[b.Len:])
		if int64(b.Len) == own {
			continue
		}
		if err == io.EOF || err == nil {
			err = failure.ErrEnded
		}
		return visit(p, engine.Block{Off: pos, Err: r.unread(p, pos, err)}, true)
	}
	return true
}

func (r *reader) unread(p engine.Piece, pos int64, err error) *failure.UnreadError {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = failure.ErrEnded
	}
	return &failure.UnreadError{Name: r.file.Name, Off: pos, Len: p.End() - pos, Err: err}
}
