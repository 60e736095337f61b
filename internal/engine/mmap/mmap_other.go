//go:build !unix

package mmap

import (
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// Open returns a RefusedError on this system.
func Open(f *source.File, _ engine.Config) (engine.Engine, error) {
	return nil, &failure.EngineError{Engine: "mmap", Name: f.Name,
		Reason: "mappings are only used on Unix systems; use the pread engine"}
}
