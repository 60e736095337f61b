// Package memory is the engine for bytes that are in memory already: a block is a part of the
// caller's slice, and nothing is copied.
package memory

import (
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
)

type memoryEngine struct {
	file  *source.File
	ahead int64
}

// Open returns the engine for an input in memory, and a RefusedError for every other.
func Open(f *source.File, c engine.Config) (engine.Engine, error) {
	if f.Kind != source.Memory {
		return nil, &failure.EngineError{Engine: "memory", Name: f.Name, Reason: "it is not in memory"}
	}
	return &memoryEngine{f, int64(c.AheadBytes)}, nil
}

func (e *memoryEngine) Name() string { return "memory" }

func (e *memoryEngine) Close() error { return nil }

func (e *memoryEngine) Reader() (engine.Reader, error) { return reader{e}, nil }

type reader struct{ *memoryEngine }

func (reader) Close() error { return nil }

func (r reader) Run(next engine.Next, visit engine.Visit) error {
	for {
		p, ok := next()
		if !ok || !r.piece(p, visit) {
			return nil
		}
	}
}

// piece visits a piece as one block. What lies behind the end of the bytes is an error block.
func (r reader) piece(p engine.Piece, visit engine.Visit) bool {
	data, size := r.file.Data(), r.file.Bytes
	own := max(min(int64(p.Len), size-p.Off), 0)
	whole := own == int64(p.Len)
	if own > 0 {
		end := min(p.Off+own+r.ahead, size)
		b := engine.Block{Off: p.Off, Data: data[p.Off:end:end], Len: int(own)}
		if !visit(p, b, whole) {
			return false
		}
	}
	if whole {
		return true
	}
	missing := &failure.UnreadError{Name: r.file.Name, Off: p.Off + own, Len: int64(p.Len) - own, Err: failure.ErrEnded}
	return visit(p, engine.Block{Off: missing.Off, Err: missing}, true)
}
