package versus

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// receipt has the fields of thresh's receipt that the bench needs.
type receipt struct {
	Bytes   int64   `json:"bytes"`
	Skipped int64   `json:"skipped"`
	Seconds float64 `json:"seconds"`
	Wall    string  `json:"wall"`
	Verdict string  `json:"verdict"`
	Kernel  string  `json:"kernel"`
}

// parseReceipt returns the receipt in the standard error of thresh: the last line that is a JSON
// object.
func parseReceipt(stderr string) (receipt, error) {
	var r receipt
	last := ""
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "{") {
			last = line
		}
	}
	if last == "" {
		return r, fmt.Errorf("no receipt in standard error %q", stderr)
	}
	if err := json.Unmarshal([]byte(last), &r); err != nil {
		return r, fmt.Errorf("receipt %q: %w", last, err)
	}
	if r.Seconds <= 0 || r.Bytes+r.Skipped <= 0 {
		return r, fmt.Errorf("receipt without bytes or seconds: %q", last)
	}
	return r, nil
}

// parseOwnMemory returns a process's own memory, in bytes, from /proc/PID/status: anonymous and shared
// memory. It does not include the pages of mapped files, which belong to the page cache.
func parseOwnMemory(status []byte) (int64, error) {
	anonymous, ok, err := proc.FieldBytes(status, "RssAnon")
	shared, _, sharedErr := proc.FieldBytes(status, "RssShmem")
	if err = errors.Join(err, sharedErr); err != nil {
		return 0, fmt.Errorf("memory in the status of a process: %w", err)
	}
	if !ok {
		return 0, errNoMemory
	}
	return anonymous + shared, nil
}

// errNoMemory reports that a process has no memory: it has ended.
var errNoMemory = errors.New("no memory in the status of a process")
