package measure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/thresh-dev/thresh/lab"
)

// journal is the file of a session: a line of JSON for each run, written when the run has ended. A
// session that was interrupted goes on from there.
type journal struct {
	file    *os.File
	entries []entry
}

// entry is a run, or why there is none.
type entry struct {
	Variant string       `json:"variant"`
	Setting lab.Setting  `json:"setting"`
	Bytes   int64        `json:"bytes,omitempty"` // of the input, as asked for
	Want    string       `json:"want,omitempty"`
	Outcome *lab.Outcome `json:"outcome,omitempty"`
	Skipped string       `json:"skipped,omitempty"`
	Profile *lab.Profile `json:"profile,omitempty"`
	// Compared is what a comparison gave, which is done once.
	Compared *lab.Compared `json:"compared,omitempty"`

	Seconds float64 `json:"seconds"` // of the run with its preparations
	Others  float64 `json:"others"`  // share of the processors, not clamped
	Host    float64 `json:"host"`    // the host's part of it
	Faults  float64 `json:"faults"`  // per GiB of a mapping
}

// of reports whether the entry is one of the job's.
func (e *entry) of(j job) bool {
	return e.Variant == j.variant.ID && e.Setting == j.setting && e.Bytes == j.bytes
}

// openJournal opens a session's file. A last line that was cut off is left out and overwritten.
func openJournal(path string, fresh bool) (*journal, error) {
	flags := os.O_RDWR | os.O_CREATE
	if fresh {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		return nil, err
	}
	j := &journal{file: f}
	if err := j.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w (--fresh begins anew)", path, err), f.Close())
	}
	return j, nil
}

func (j *journal) load() error {
	text, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	end := int64(bytes.LastIndexByte(text, '\n') + 1)
	for line := range bytes.Lines(text[:end]) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("line %d: %w", len(j.entries)+1, err)
		}
		j.entries = append(j.entries, e)
	}
	if err := j.file.Truncate(end); err != nil {
		return err
	}
	_, err = j.file.Seek(end, io.SeekStart)
	return err
}

// add writes an entry.
func (j *journal) add(e entry) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("keep a run: %w", err)
	}
	j.entries = append(j.entries, e)
	return nil
}

// wrong returns the first answer of some runs that is not the wanted one. Variants without an input check
// their answers themselves.
func wrong(runs []entry) (answer string, is bool) {
	for _, e := range runs {
		if e.Want != "" && e.Outcome != nil && e.Outcome.Answer != e.Want {
			return e.Outcome.Answer, true
		}
	}
	return "", false
}
