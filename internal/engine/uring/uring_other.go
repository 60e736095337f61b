//go:build !linux

package uring

import (
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// Open returns a RefusedError on this system.
func Open(f *source.File, _ engine.Config) (engine.Engine, error) { return nil, Probe(f) }

// Probe returns a RefusedError on this system.
func Probe(f *source.File) error {
	return &failure.EngineError{Engine: "uring", Name: f.Name, Reason: "io_uring exists only on Linux"}
}
