//go:build !linux

package wall

import (
	"context"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// Take reads the clock. These systems have no counters that distinguish walls; the verdict is then
// based on what the caller knows and on probes.
func Take() (Snapshot, error) {
	return Snapshot{at: time.Now(), totals: Counters{
		Missing: []string{"processor time, page faults and bytes read: counted on Linux only"},
	}}, nil
}

// probeMapped probes nothing: mappings are an engine of Linux.
func probeMapped(context.Context, time.Duration, *Probes, *source.File, source.Range, int) error {
	return nil
}
