package thresh

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/machine/limits"
)

// Limits are the highest rates that a machine, and the storage that holds a path, reached when measured.
type Limits struct{ ceilings *limits.Ceilings }

// MeasureLimits returns the figures of the storage that holds path. They are kept in the user's cache
// folder; they are measured if none are kept, if those are stale, or if refresh is set. Figures taken
// while other programs kept the machine busy, and noisy ones, do not replace better ones. Step is called
// with the name of each measurement before it begins; it may be nil. If the figures cannot be kept, they
// are returned together with the error.
func MeasureLimits(ctx context.Context, path string, refresh bool, step func(string)) (*Limits, error) {
	if err := cpu.Err(); err != nil {
		return nil, err
	}
	earlier, loadErr := limits.Load(path)
	if loadErr == nil && !refresh {
		return &Limits{earlier}, nil
	}
	c, err := limits.Measure(ctx, limits.Options{Path: path, Progress: step})
	if err != nil {
		return nil, err
	}
	c.Keep(earlier)
	return &Limits{c}, c.Save()
}

// Text returns the figures, with their units, as an aligned table for people; "" for the zero Limits.
func (l *Limits) Text() string {
	if l.ceilings == nil {
		return ""
	}
	return l.ceilings.Text(time.Now())
}

// Roofline draws the figures and the last runs (Receipt.Keep) as SVG: no run is above the roof of the place its bytes
// came from, or above the diagonal, where its kernel is the wall. It returns an error for the zero Limits.
func (l *Limits) Roofline(w io.Writer) error {
	if l.ceilings == nil {
		return errors.New("no limits to draw")
	}
	runs, err := limits.LastRuns()
	return errors.Join(l.ceilings.Roofline(w, runs, time.Now()), err)
}

// MarshalJSON returns the figures as an object, each with median, spread and unit; null for the zero Limits.
func (l *Limits) MarshalJSON() ([]byte, error) { return json.Marshal(l.ceilings) }
