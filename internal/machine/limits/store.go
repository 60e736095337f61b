package limits

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// ErrNone is returned by Load if nothing has been measured yet, or if what was stored cannot be
// read.
var ErrNone = errors.New("no limits measured")

// ErrStale is returned by Load, together with the old figures, if they are no longer valid.
var ErrStale = errors.New("measured limits are stale")

// maxAge is how long figures are valid on an unchanged machine.
const maxAge = 7 * 24 * time.Hour

// Load returns the figures stored for this machine and the storage device of path. The error is
// ErrNone with a reason; or ErrStale with a reason, in which case the figures are returned too,
// with StaleReason set.
func Load(path string) (*Ceilings, error) {
	id, err := Identify(path)
	if err != nil {
		return nil, err
	}
	dir, err := cacheDir()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return load(filepath.Join(dir, id.fileName()), id, time.Now())
}

// Current returns the figures that are kept for the storage at path. They are measured if none are kept, if those are
// stale, or if refresh is set. Figures taken while other programs kept the machine busy, and noisy ones, do not replace
// better ones. Step is called with the name of each measurement before it begins; it may be nil. If the figures cannot
// be kept, they are returned together with the error.
func Current(ctx context.Context, path string, refresh bool, step func(string)) (*Ceilings, error) {
	if err := cpu.Err(); err != nil {
		return nil, err
	}
	earlier, err := Load(path)
	if err == nil && !refresh {
		return earlier, nil
	}
	c, err := Measure(ctx, Options{Path: path, Progress: step})
	if err != nil {
		return nil, err
	}
	c.Keep(earlier)
	return c, c.Save()
}

// load reads a file of figures and checks them against the machine and time of now.
func load(name string, id Identity, now time.Time) (*Ceilings, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: no file %s", ErrNone, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	c := new(Ceilings)
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("%w: read %s: %w", ErrNone, name, err)
	}
	if c.StaleReason = c.stale(id, now); c.StaleReason != "" {
		return c, fmt.Errorf("%w: %s", ErrStale, c.StaleReason)
	}
	return c, nil
}

// stale returns why the figures are no longer valid, or "".
func (c *Ceilings) stale(id Identity, now time.Time) string {
	if c.Format != Format {
		return fmt.Sprintf("they have format %d, this version uses %d", c.Format, Format)
	}
	if changed := c.Identity.differs(id); changed != "" {
		return changed
	}
	switch age := now.Sub(c.Taken); {
	case age > maxAge:
		return fmt.Sprintf("they are %d days old", age/(24*time.Hour))
	case age < -time.Hour: // an hour of tolerance for a clock that was set
		return "they were taken in the future"
	}
	return ""
}

// Save stores the figures for Load. It replaces the whole file at once: a reader sees either the
// old figures or the new ones.
func (c *Ceilings) Save() error {
	dir, err := cacheDir()
	if err != nil {
		return fmt.Errorf("keep measured limits: %w", err)
	}
	return c.save(dir)
}

func (c *Ceilings) save(dir string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err == nil {
		err = replace(filepath.Join(dir, c.Identity.fileName()), append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep measured limits: %w", err)
	}
	return nil
}

// replace gives a file of the cache folder new content, all at once, and makes the folder if there is none.
func replace(name string, text []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "limits-*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "thresh"), nil
}

// Run is what a run reached, for the roofline. It names no file.
type Run struct {
	Taken    time.Time `json:"taken"`
	Question string    `json:"question"` // "find", "count"
	Kernel   string    `json:"kernel"`
	Wall     string    `json:"wall"`
	Rate     float64   `json:"rate"`        // GB/s
	Function float64   `json:"kernel_rate"` // GB/s of all workers on bytes in the cache
}

// runsKept is how many runs are kept: as many as a picture can tell apart.
const runsKept = 12

// KeepRun adds a run to the last ones, in the user's cache folder. Of two programs that do so at the same time, one
// run may be lost.
func KeepRun(r Run) error {
	dir, err := cacheDir()
	if err != nil {
		return fmt.Errorf("keep a run: %w", err)
	}
	return keepRun(filepath.Join(dir, runsName), r)
}

const runsName = "runs.json"

func keepRun(name string, r Run) error {
	runs, err := lastRuns(name)
	if err != nil {
		return fmt.Errorf("keep a run: %w", err)
	}
	runs = append(runs, r)
	runs = runs[max(0, len(runs)-runsKept):]
	text, err := json.Marshal(runs)
	if err != nil {
		return fmt.Errorf("keep a run: %w", err)
	}
	if err := replace(name, text); err != nil {
		return fmt.Errorf("keep a run: %w", err)
	}
	return nil
}

// LastRuns returns the runs that were kept, the latest last.
func LastRuns() ([]Run, error) {
	dir, err := cacheDir()
	if err != nil {
		return nil, err
	}
	return lastRuns(filepath.Join(dir, runsName))
}

// lastRuns takes a file that is damaged for one without runs: the next run replaces it.
func lastRuns(name string) (runs []Run, err error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(text, &runs) != nil {
		return nil, nil
	}
	return runs, nil
}
