// Package compared reads an input with two engines and uses the faster one for most pieces.
//
// Which of a mapping and reads is faster depends on the machine and on how the bytes lie in the page
// cache. In large folios a mapping costs a fault for up to 2 MiB; in single pages it costs one for every
// 64 KiB or less, and is no faster than reads. Files that were copied lie differently from files that
// were read, and a file may change in its middle. No figure taken beforehand says that, so this
// engine measures all the time: every sampleEvery-th piece goes to the engine that is slower at present.
package compared

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
)

type comparedEngine struct {
	engines [2]engine.Engine
	read    [2]atomic.Int64 // bytes
	mu      sync.Mutex      // guards chooser
	chooser chooser
}

// Open returns an engine that reads with both engines. It owns them. The first one is preferred where
// they are about as fast as each other.
func Open(first, second engine.Engine) engine.Engine {
	return &comparedEngine{engines: [2]engine.Engine{first, second}}
}

// Name returns the name of the preferred engine.
func (e *comparedEngine) Name() string { return e.engines[0].Name() }

// TakeBytes returns how many bytes the second engine has read since the last call.
func (e *comparedEngine) TakeBytes() int64 { return e.read[1].Swap(0) }

func (e *comparedEngine) Close() error {
	return errors.Join(e.engines[0].Close(), e.engines[1].Close())
}

func (e *comparedEngine) Reader() (engine.Reader, error) {
	first, err := e.engines[0].Reader()
	if err != nil {
		return nil, err
	}
	return &reader{comparedEngine: e, readers: [2]engine.Reader{first}}, nil
}

type reader struct {
	*comparedEngine
	readers [2]engine.Reader // the second one is nil until it is needed
}

func (r *reader) Close() (err error) {
	for _, other := range r.readers {
		if other != nil {
			err = errors.Join(err, other.Close())
		}
	}
	return err
}

func (r *reader) Run(next engine.Next, visit engine.Visit) error {
	for {
		p, ok := next()
		if !ok {
			return nil
		}
		if goOn, err := r.piece(p, visit); err != nil || !goOn {
			return err
		}
	}
}

// piece reads a piece with one of the engines, and reports how long it and its visits took.
func (r *reader) piece(p engine.Piece, visit engine.Visit) (goOn bool, err error) {
	r.mu.Lock()
	i := r.chooser.next()
	r.mu.Unlock()
	if r.readers[i] == nil {
		if r.readers[i], err = r.engines[i].Reader(); err != nil {
			return false, err
		}
	}
	goOn = true
	left := p
	once := func() (engine.Piece, bool) {
		p, ok := left, left.Len > 0
		left = engine.Piece{}
		return p, ok
	}
	began := time.Now()
	err = r.readers[i].Run(once, func(p engine.Piece, b engine.Block, last bool) bool {
		goOn = visit(p, b, last)
		return goOn
	})
	took := time.Since(began)
	r.read[i].Add(int64(p.Len))
	r.mu.Lock()
	r.chooser.record(i, p.Len, took)
	r.mu.Unlock()
	return goOn, err
}
