// Package journal keeps what a long run has finished, so that it can be resumed: a file, and summaries of ranges that
// compose. The runs are those of blank, and of cmp with a certificate.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/thresh-dev/thresh/internal/fault"
	"github.com/thresh-dev/thresh/internal/input/identity"
)

// Journal records, beside a report, what a run has finished, so that a run that was interrupted, even
// by a loss of power, can be resumed.
//
// It is a text file. Each line is a checksum and a record in JSON: what was asked (the first one),
// the start of a session, or the summary of what was finished since the record before. The past is
// the composition of all summaries. A record is on the disk before the next one is written, so only
// the last one can be torn; it is dropped, and its bytes are read again. Any other damage is an error.
// The run that uses a journal locks it.
type Journal struct {
	f    *os.File
	name string
	err  error // the first error: a record may be torn there, and nothing may follow it
}

// Header is what was asked: a run is resumed only with the same question about the same inputs.
type Header struct {
	Format  string              `json:"format"`
	Pattern string              `json:"pattern,omitempty"`
	Offset  int64               `json:"offset"`
	Other   int64               `json:"other,omitempty"` // where a comparison begins in its second input
	Length  *int64              `json:"length,omitempty"`
	Cached  bool                `json:"cached,omitempty"`
	Flags   string              `json:"flags,omitempty"` // others that the answer depends on
	Inputs  []identity.Identity `json:"inputs"`
}

// Session is one run of the program.
type Session struct {
	Began   time.Time `json:"began"`
	Version string    `json:"version"`
	Host    string    `json:"host,omitempty"`
}

// Stretch is what a session did on one input.
type Stretch struct {
	Session
	Ended       time.Time `json:"ended"` // of an interrupted session, its last record
	From        int64     `json:"from"`
	To          int64     `json:"to"`
	Interrupted bool      `json:"interrupted,omitempty"`
}

// Past is what earlier sessions did on one input.
type Past struct {
	Done      Summary
	Stretches []Stretch
}

// done is the record of what was finished of an input.
type done struct {
	Input int       `json:"input"`
	At    time.Time `json:"at"`
	Summary
}

// record is one line; one of its fields is set.
type record struct {
	Header  *Header  `json:"header,omitempty"`
	Session *Session `json:"session,omitempty"`
	Done    *done    `json:"done,omitempty"`
}

// Error reports that a journal cannot be continued.
type Error struct {
	Name string
	Err  error
	hint string
}

func (e *Error) Error() string { return fmt.Sprintf("resume from %s: %v", e.Name, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *Error) Hint() string { return e.hint }

// Create creates a journal. The error is fs.ErrExist if there is one already, and a BusyError if
// another run uses that one.
func Create(name string, h Header) (*Journal, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		if old, lockErr := openLocked(name); lockErr == nil {
			err = errors.Join(err, old.Close())
		} else if busy := new(BusyError); errors.As(lockErr, &busy) {
			err = busy
		}
	}
	if err != nil {
		return nil, err
	}
	if err := own(f, name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	j := &Journal{f: f, name: name}
	if err := j.start(h); err != nil {
		return nil, errors.Join(err, os.Remove(name), f.Close())
	}
	return j, nil
}

// start writes the header into an empty journal, which this run owns.
func (j *Journal) start(h Header) error {
	return errors.Join(j.append(record{Header: &h}), syncFolder(j.name))
}

// Resume opens the journal of an interrupted run with the same header, and returns what that
// run did on each input; at most limit ranges are listed. If there is none, or if it breaks off in
// its header, a new one is begun. The error is a BusyError if another run uses it.
func Resume(name string, h Header, limit int) (*Journal, []Past, error) {
	f, err := openLocked(name)
	if errors.Is(err, fs.ErrNotExist) {
		j, err := Create(name, h)
		return j, nil, err
	}
	if err != nil {
		return nil, nil, err
	}
	j, past, err := resume(f, name, h, limit)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return j, past, nil
}

// resume continues a journal, which this run owns.
func resume(f *os.File, name string, h Header, limit int) (*Journal, []Past, error) {
	content, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, err
	}
	records, whole, err := parse(content)
	if err != nil {
		return nil, nil, &Error{name, err, "remove it to start over"}
	}
	j := &Journal{f: f, name: name}
	if len(records) == 0 {
		return j, nil, errors.Join(j.cut(0), j.start(h))
	}
	if err := h.same(records[0].Header); err != nil {
		return nil, nil, &Error{name, err,
			"repeat the same command with --resume, or remove the journal to start over"}
	}
	past, err := replay(records[1:], h, limit)
	if err != nil {
		return nil, nil, &Error{name, err, "remove it to start over"}
	}
	return j, past, j.cut(int64(whole)) // drops a torn record
}

// cut drops what is behind an offset, and continues there.
func (j *Journal) cut(off int64) error {
	if err := fault.Err(fault.CutLog); err != nil {
		return err
	}
	if err := j.f.Truncate(off); err != nil {
		return err
	}
	_, err := j.f.Seek(off, io.SeekStart)
	return err
}

// BusyError reports that another run uses a journal.
type BusyError struct{ Name string }

func (e *BusyError) Error() string { return fmt.Sprintf("%s is in use by another run", e.Name) }

// Hint says what to do.
func (e *BusyError) Hint() string { return "wait for that run, or give another --report" }

// openLocked opens a journal that is there, and owns it.
func openLocked(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := own(f, name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// own locks a journal until it is closed. A run that was just finishing may have removed it after it was
// opened: then another file, or none, has the name.
func own(f *os.File, name string) error {
	free, err := lock(f)
	if err != nil {
		return err
	}
	is, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(name)
	if !free || err != nil || !os.SameFile(is, named) {
		return &BusyError{name}
	}
	return nil
}

// Begin records the start of a session.
func (j *Journal) Begin(s Session) error { return j.append(record{Session: &s}) }

// Add records what was finished of an input. It returns when the record is on the disk.
func (j *Journal) Add(input int, s Summary) error {
	return j.append(record{Done: &done{input, time.Now().UTC(), s}})
}

// Close closes the journal, and keeps it for a later session.
func (j *Journal) Close() error { return j.f.Close() }

// Remove removes and closes the journal. It is closed last where that is possible, so that no other run can
// own it in between.
func (j *Journal) Remove() error {
	if runtime.GOOS == "windows" { // which removes no open file
		return errors.Join(j.f.Close(), os.Remove(j.name))
	}
	return errors.Join(os.Remove(j.name), j.f.Close())
}

// checksum returns the CRC-32C of a record.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// append writes a record and waits until it is on the disk.
func (j *Journal) append(r record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write %s: %w", j.name, err)
	}
	if j.err == nil {
		j.err = j.write(fmt.Appendf(nil, "%08x %s\n", checksum(b), b))
	}
	return j.err
}

func (j *Journal) write(line []byte) error {
	if _, err := fault.Write(fault.WriteLog, line, j.f.Write); err != nil {
		return err
	}
	if err := fault.Err(fault.SyncLog); err != nil {
		return err
	}
	return j.f.Sync()
}

// parse returns the whole records, and the number of bytes that they take. A torn record at the end
// is left out.
func parse(content []byte) (records []record, whole int, err error) {
	for whole < len(content) {
		end := bytes.IndexByte(content[whole:], '\n')
		if end < 0 {
			return records, whole, nil // torn
		}
		r, err := parseLine(content[whole : whole+end])
		last := whole+end+1 == len(content)
		switch {
		case err != nil && last:
			return records, whole, nil // torn
		case err != nil:
			return nil, 0, fmt.Errorf("line %d is damaged: %w", len(records)+1, err)
		case (len(records) == 0) != (r.Header != nil):
			return nil, 0, fmt.Errorf("line %d is not the record that belongs there", len(records)+1)
		}
		records = append(records, r)
		whole += end + 1
	}
	return records, whole, nil
}

func parseLine(line []byte) (r record, err error) {
	if len(line) < 9 || line[8] != ' ' {
		return r, errors.New("it has no checksum")
	}
	sum, err := strconv.ParseUint(string(line[:8]), 16, 32)
	if err != nil || uint32(sum) != checksum(line[9:]) {
		return r, errors.New("its checksum is wrong")
	}
	return r, json.Unmarshal(line[9:], &r)
}

// same returns an error if a journal is of another question.
func (h Header) same(old *Header) error {
	switch {
	case old.Format != h.Format:
		return fmt.Errorf("it has the format %q, and this program writes %q", old.Format, h.Format)
	case old.Pattern != h.Pattern:
		return fmt.Errorf("it is of the pattern %s, not %s", old.Pattern, h.Pattern)
	case old.Offset != h.Offset, old.Other != h.Other, (old.Length == nil) != (h.Length == nil),
		h.Length != nil && *old.Length != *h.Length:
		return errors.New("it is of another range: --offset or --length differ")
	case old.Cached != h.Cached:
		return errors.New("one run has --cached, and the other has not")
	case old.Flags != h.Flags:
		return fmt.Errorf("it is of other flags: %q, not %q", old.Flags, h.Flags)
	case len(old.Inputs) != len(h.Inputs):
		return fmt.Errorf("it is of %d inputs, not %d", len(old.Inputs), len(h.Inputs))
	}
	for i, is := range h.Inputs {
		switch was := old.Inputs[i]; {
		case was.Bytes != is.Bytes:
			return fmt.Errorf("input %d had %d bytes, and now has %d", i+1, was.Bytes, is.Bytes)
		case was.Key() != is.Key():
			return fmt.Errorf("input %d is not the one of the interrupted run, or was changed since", i+1)
		}
	}
	return nil
}

// replay composes the records behind the header.
func replay(records []record, h Header, limit int) ([]Past, error) {
	past := make([]Past, len(h.Inputs))
	for i := range past {
		past[i].Done = Summary{Off: h.Offset, End: h.Offset}
	}
	var now *Session
	for _, r := range records {
		if r.Session != nil {
			now = r.Session
			continue
		}
		if r.Done == nil || now == nil || r.Done.Input < 0 || r.Done.Input >= len(past) {
			return nil, errors.New("it has a record that this program does not write")
		}
		p := &past[r.Done.Input]
		if err := r.Done.check(p.Done.End); err != nil {
			return nil, err
		}
		n := len(p.Stretches)
		if n == 0 || !p.Stretches[n-1].Began.Equal(now.Began) {
			p.Stretches = append(p.Stretches, Stretch{Session: *now, From: r.Done.Off, Interrupted: true})
			n++
		}
		p.Stretches[n-1].Ended, p.Stretches[n-1].To = r.Done.At, r.Done.End
		p.Done.Join(r.Done.Summary, limit)
	}
	return past, nil
}

// syncFolder makes the name of a new file last. Systems that cannot do that return an error, which
// is ignored: there is nothing else to do, and each record is synced by itself.
func syncFolder(name string) error {
	folder, err := os.Open(filepath.Dir(name))
	if err != nil {
		return nil
	}
	_ = folder.Sync()
	return folder.Close()
}
