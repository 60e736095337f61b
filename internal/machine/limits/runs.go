package limits

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

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
