//go:build !linux

package wall

import (
	"context"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// probeMapped probes nothing: mappings are an engine of Linux.
func probeMapped(context.Context, time.Duration, *Probes, *source.File, Region, int) error {
	return nil
}
