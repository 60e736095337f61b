//go:build !linux

package wall

import (
	"context"

	"github.com/thresh-dev/thresh/internal/source"
)

// probeMapped probes nothing: mappings are an engine of Linux.
func probeMapped(context.Context, *Probes, *source.File, Region, int) error { return nil }
