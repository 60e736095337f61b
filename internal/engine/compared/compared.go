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
	inputs  int // how many inputs the engines read in lockstep: their faults are of all
}

// Open returns an engine that reads with both engines. It owns them. The first one is a mapping, and is
// preferred where they are about as fast as each other. They are compared by the processor time that they take, which
// other programs do not lengthen, if timed is true, otherwise by the mapping's faults. A system that does not count
// faults keeps to the mapping.
func Open(mapping, reads engine.Engine, timed bool) engine.Engine {
	e := &comparedEngine{engines: [2]engine.Engine{mapping, reads}, chooser: chooser{timed: timed}, inputs: 1}
	if several, ok := mapping.(interface{ Inputs() int }); ok {
		e.inputs = several.Inputs()
	}
	return e
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
	return next.Each(func(p engine.Piece) (bool, error) { return r.piece(p, visit) })
}

// use is what a thread has used: page faults that needed no storage, and processor time.
type use struct {
	thread int
	faults int64
	time   time.Duration
}

// releaseFaultBytes is for how many bytes, at most, a mapping takes a fault where releasing it takes time: pages of
// large folios, of which a fault brings more, are released nearly at once.
const releaseFaultBytes = 256 << 10

// piece reads a piece with one of the engines, and reports how long it and its visits took, or how many faults.
func (r *reader) piece(p engine.Piece, visit engine.Visit) (goOn bool, err error) {
	r.mu.Lock()
	i := r.chooser.next()
	measures := r.chooser.measures(i)
	r.mu.Unlock()
	if r.readers[i] == nil {
		if r.readers[i], err = r.engines[i].Reader(); err != nil {
			return false, err
		}
	}
	defer func() { r.read[i].Add(int64(p.Len)) }()
	if !measures {
		return runOne(r.readers[i], p, visit)
	}
	began, before := time.Now(), threadUse()
	goOn, err = runOne(r.readers[i], p, visit)
	took, after := time.Since(began), threadUse()
	known := after.thread == before.thread && after.thread > 0
	faults := after.faults - before.faults
	if known {
		took = after.time - before.time
	}
	mapping, ok := r.readers[i].(engine.Releaser)
	if ok && known && r.chooser.timed && faults*releaseFaultBytes > int64(p.Len*r.inputs) {
		began := time.Now()
		mapping.Release(p) // which closing does otherwise
		took += time.Since(began)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.chooser.timed:
		r.chooser.record(i, p.Len, took)
	case known:
		r.chooser.recordFaults(p.Len*r.inputs, faults)
	}
	return goOn, err
}

// runOne has a reader visit one piece. It reports whether the visitor wants more.
func runOne(r engine.Reader, p engine.Piece, visit engine.Visit) (goOn bool, err error) {
	goOn = true
	left := p
	once := func() (engine.Piece, bool) {
		p, ok := left, left.Len > 0
		left = engine.Piece{}
		return p, ok
	}
	err = r.Run(once, func(p engine.Piece, b engine.Block, last bool) bool {
		goOn = visit(p, b, last)
		return goOn
	})
	return goOn, err
}
