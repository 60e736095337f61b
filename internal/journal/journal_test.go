package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/fault"
	"github.com/thresh-dev/thresh/internal/input/identity"
)

// journalOf returns the content of a journal with several records of two inputs, its header, and its name.
func journalOf(t *testing.T) (content []byte, h Header, name string) {
	t.Helper()
	h = Header{Format: "a journal of the test", Pattern: "00"}
	for i := range 2 {
		h.Inputs = append(h.Inputs, identity.Identity{Kind: "block device", Bytes: 3 << 20, Serial: string(rune('A' + i))})
	}
	name = filepath.Join(t.TempDir(), "c.html.journal")
	j, err := Create(name, h)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now().UTC()
	if err := j.Begin(Session{Began: began, Version: "1", Host: "a"}); err != nil {
		t.Fatal(err)
	}
	first := int64(5000)
	for i := range h.Inputs {
		half := Summary{Off: 0, End: 1 << 20, Read: 1 << 20, First: &first}
		half.Other.Add(Span{Off: 4608, Len: 512}, 3)
		rest := Summary{Off: 1 << 20, End: 3 << 20, Read: 2 << 20, First: &first}
		rest.Other.Add(Span{Off: 2 << 20, Len: 512}, 3)
		for _, s := range []Summary{half, rest} {
			if err := j.Add(i, s); err != nil {
				t.Fatal(err)
			}
		}
		if i == 0 { // a second session
			if err := j.Begin(Session{Began: began.Add(time.Hour), Version: "2", Host: "b"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	content, err = os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content, h, name
}

// TestJournalFaults refuses the n-th write, sync or truncation, of which the first leaves half a record. Nothing is
// recorded after it, and the journal resumes with what was recorded before.
func TestJournalFaults(t *testing.T) {
	_, header, name := journalOf(t)
	defer fault.Clear()
	runs := 0
	for _, op := range []fault.Op{fault.WriteLog, fault.SyncLog, fault.CutLog} {
		for nth := int64(1); ; nth++ {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			p := &fault.Plan{Op: op, Nth: nth, Err: syscall.EIO}
			fault.Inject(p)
			recorded := int64(0)
			j, _, err := Resume(name, header, 3)
			if err == nil {
				err = j.Begin(Session{Began: time.Now().UTC(), Version: "1"})
				for at := int64(0); at < 5; at++ { // whoever ignores an error records on
					if err = errors.Join(err, j.Add(0, Summary{Off: at << 12, End: (at + 1) << 12, Read: 4096})); err == nil {
						recorded = (at + 1) << 12
					}
				}
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
			}
			fault.Clear()
			if p.Refused() == 0 {
				break
			}
			runs++
			if err == nil {
				t.Errorf("call %d of %q refused: no error", nth, op)
			}
			j, past, err := Resume(name, header, 3)
			if err != nil {
				t.Fatalf("call %d of %q refused: resume: %v", nth, op, err)
			}
			end := int64(0)
			if len(past) > 0 {
				end = past[0].Done.End
			}
			// A record that is written and not synced may be there or not.
			if end != recorded && (op != fault.SyncLog || end != recorded+4096) {
				t.Errorf("call %d of %q refused: %d bytes are recorded, not %d", nth, op, end, recorded)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if runs < 12 {
		t.Errorf("only %d calls were refused", runs)
	}
}

// TestTornJournal cuts a journal after every byte. What is left resumes with whole records only, from
// the end of the last one, and the torn rest is gone before new records are added.
func TestTornJournal(t *testing.T) {
	content, header, name := journalOf(t)
	for cut := range len(content) + 1 {
		if err := os.WriteFile(name, content[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		j, past, err := Resume(name, header, 3)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		lines := bytes.Count(content[:cut], []byte("\n"))
		if (past == nil) != (lines == 0) {
			t.Fatalf("cut at %d, %d lines: past %v", cut, lines, past)
		}
		ends := [2]int64{}
		if lines > 0 {
			ends[0] = []int64{0, 0, 1 << 20, 3 << 20, 3 << 20, 3 << 20, 3 << 20}[lines-1]
			ends[1] = []int64{0, 0, 0, 0, 0, 1 << 20, 3 << 20}[lines-1]
			for i, p := range past {
				if p.Done.End != ends[i] || p.Done.Read != ends[i] {
					t.Fatalf("cut at %d, input %d: %+v, want the end %d", cut, i, p.Done, ends[i])
				}
				if sessions := len(p.Stretches); (sessions == 0) != (ends[i] == 0) {
					t.Fatalf("cut at %d, input %d: %d stretches", cut, i, sessions)
				}
			}
		}
		if near := bytes.ContainsRune(content[max(cut-2, 0):min(cut+1, len(content))], '\n'); cut > 0 && !near {
			if err := j.Close(); err != nil { // within a line one cut is like the other
				t.Fatal(err)
			}
			continue
		}
		if err := errors.Join(j.Begin(Session{Began: time.Now()}), j.Add(1, Summary{Off: ends[1], End: ends[1] + 7, Read: 7}), j.Close()); err != nil {
			t.Fatal(err)
		}
		if j, past, err = Resume(name, header, 3); err != nil || past[1].Done.End != ends[1]+7 {
			t.Fatalf("cut at %d, and continued: %v %+v", cut, err, past)
		}
		if err := j.Remove(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedJournal changes every byte. A change of the last record makes it torn; any other is an error.
func TestDamagedJournal(t *testing.T) {
	content, header, name := journalOf(t)
	lastLine := bytes.LastIndexByte(content[:len(content)-1], '\n') + 1
	for at := range content {
		for _, flip := range []byte{1, 0x20} {
			damaged := bytes.Clone(content)
			damaged[at] ^= flip
			if err := os.WriteFile(name, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			j, past, err := Resume(name, header, 3)
			var journal *Error
			switch {
			case at == lastLine-1: // the last two records are one, which seems to be torn
				if err != nil || past[1].Done.End != 0 {
					t.Fatalf("the line feed before the last record: %v %+v", err, past)
				}
			case at < lastLine && !errors.As(err, &journal):
				// The hexadecimal digits of a checksum are the same in both cases.
				if !bytes.EqualFold(damaged, content) {
					t.Fatalf("byte %d (%q) ^ %x: %v", at, content[at], flip, err)
				}
			case at >= lastLine && (err != nil || past[1].Done.End != 1<<20) && !bytes.EqualFold(damaged, content):
				t.Fatalf("byte %d of the last record: %v %+v", at, err, past)
			}
			if j != nil {
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestJournalOfAnother: only the same question about the same inputs is resumed.
func TestJournalOfAnother(t *testing.T) {
	content, header, name := journalOf(t)
	for want, change := range map[string]func(h *Header){
		"of the pattern 00, not FF":  func(h *Header) { h.Pattern = "FF" },
		"--offset or --length":       func(h *Header) { h.Offset = 512 },
		"--offset or --length diffe": func(h *Header) { h.Length = new(int64(5)) },
		"--cached":                   func(h *Header) { h.Cached = true },
		"of 2 inputs, not 1":         func(h *Header) { h.Inputs = h.Inputs[:1] },
		"input 2 had 3145728 bytes":  func(h *Header) { h.Inputs[1].Bytes++ },
		"input 1 is not the one":     func(h *Header) { h.Inputs[0].Serial = "other" },
		"the format":                 func(h *Header) { h.Format = "x" },
	} {
		h := header
		h.Inputs = slices.Clone(h.Inputs)
		change(&h)
		var journal *Error
		if _, _, err := Resume(name, h, 3); !errors.As(err, &journal) || !strings.Contains(err.Error(), want) || journal.Hint() == "" {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, content) {
		t.Errorf("a refused journal was changed: %v", err)
	}
	if _, err := Create(name, header); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a journal that is there: %v", err)
	}
}

// TestJournalThatDoesNotFit: records with right checksums that do not follow each other are an error.
func TestJournalThatDoesNotFit(t *testing.T) {
	_, h, name := journalOf(t)
	for what, records := range map[string][]record{
		"gap":        {{Done: &done{Summary: Summary{Off: 5, End: 6}}}},
		"backwards":  {{Done: &done{Summary: Summary{Off: 0, End: -1}}}},
		"no such":    {{Done: &done{Input: 2}}},
		"empty list": {{Done: &done{Summary: Summary{End: 9, Other: Ranges{Count: 1}}}}},
		"nothing":    {{}},
		"header":     {{Header: &h}},
	} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		j, err := Create(name, h)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Begin(Session{}); err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if err := j.append(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(j.Begin(Session{}), j.Close()); err != nil {
			t.Fatal(err)
		}
		var journal *Error
		if _, _, err := Resume(name, h, 3); !errors.As(err, &journal) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestJournalInUse has several runs ask for one journal: one of them gets it, and the others are told.
func TestJournalInUse(t *testing.T) {
	content, header, name := journalOf(t)
	for what, before := range map[string][]byte{"none": nil, "empty": {}, "whole": content} {
		if before == nil {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(name, before, 0o600); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		got := make([]*Journal, 8)
		errs := make([]error, len(got))
		for i := range got {
			wg.Go(func() { got[i], _, errs[i] = Resume(name, header, 3) })
		}
		wg.Wait()
		var owner *Journal
		for i, j := range got {
			busy := new(BusyError)
			switch {
			case j != nil && owner != nil:
				t.Fatalf("%s: two runs have the journal", what)
			case j != nil:
				owner = j
			case !errors.As(errs[i], &busy) && !errors.Is(errs[i], fs.ErrExist):
				t.Errorf("%s: %v", what, errs[i])
			}
		}
		if owner == nil {
			t.Fatalf("%s: no run has the journal", what)
		}
		busy := new(BusyError)
		if _, err := Create(name, header); !errors.As(err, &busy) {
			t.Errorf("%s: created beside a run: %v", what, err)
		}
		if err := owner.Begin(Session{Began: time.Now(), Version: "3"}); err != nil {
			t.Error(err)
		}
		if err := owner.Close(); err != nil {
			t.Error(err)
		}
		if _, err := Create(name, header); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: created over one that is there: %v", what, err)
		}
		again, past, err := Resume(name, header, 3)
		if err != nil || (len(before) > 0) != (past[0].Done.End > 0) {
			t.Fatalf("%s: %v, past %+v", what, err, past)
		}
		if err := again.Remove(); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil { // for the next state
			t.Fatal(err)
		}
	}
}

// TestJournalRemoved: a run that opened the journal just before another one finished does not own it.
func TestJournalRemoved(t *testing.T) {
	_, _, name := journalOf(t)
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(name, name+".old"); err != nil {
		t.Skip("an open file cannot be renamed here")
	}
	busy := new(BusyError)
	for _, other := range []bool{false, true} {
		if other {
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := own(f, name); !errors.As(err, &busy) || !strings.Contains(busy.Error(), "another run") || busy.Hint() == "" {
			t.Errorf("another file with the name %t: %v", other, err)
		}
	}
}
