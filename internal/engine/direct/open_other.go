//go:build !linux

package direct

import (
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// Open returns a RefusedError: on this system there are no direct reads.
func Open(f *source.File, _ engine.Config) (engine.Engine, error) {
	return nil, &failure.EngineError{Engine: "direct", Name: f.Name,
		Reason: "direct reads are available on Linux only"}
}
