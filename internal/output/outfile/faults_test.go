package outfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/thresh-dev/thresh/internal/fault"
)

// TestFaults refuses the n-th call of each kind while a file is made or replaced: it is complete, or it is as it was
// before, with an error that names it; and nothing lies beside it.
func TestFaults(t *testing.T) {
	defer fault.Clear()
	runs := 0
	for _, op := range []fault.Op{fault.CreateOut, fault.WriteOut, fault.SyncOut, fault.CloseOut, fault.LinkOut, fault.RenameOut} {
		for _, old := range []string{"", "old"} {
			for _, stays := range []bool{false, true} {
				for nth := int64(1); ; nth++ {
					p := &fault.Plan{Op: op, Nth: nth, Stays: stays, Err: syscall.EIO}
					if tryFault(t, p, old); p.Refused() == 0 {
						break
					}
					runs++
				}
			}
		}
	}
	if runs < 30 {
		t.Errorf("only %d calls were refused", runs)
	}
}

func tryFault(t *testing.T, p *fault.Plan, old string) {
	t.Helper()
	folder := t.TempDir()
	name := filepath.Join(folder, "answer.csv")
	if old != "" {
		if err := os.WriteFile(name, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fault.Inject(p)
	f, err := Create(name)
	if err == nil {
		for _, part := range []string{"one ", "two ", "three"} { // whoever ignores an error writes on
			_, _ = f.Write([]byte(part))
		}
		err = f.Commit(true)
	}
	fault.Clear()
	got, lost := os.ReadFile(name)
	switch {
	case err == nil && string(got) != "one two three":
		t.Errorf("call %d of %q: no error, and %q is in the file", p.Nth, p.Op, got)
	case err == nil && p.Refused() > 0 && p.Op != fault.LinkOut: // there is another way without links
		t.Errorf("call %d of %q: no error", p.Nth, p.Op)
	case err != nil && (!strings.Contains(err.Error(), "answer.csv") || strings.Contains(err.Error(), ".thresh")):
		t.Errorf("call %d of %q: %v", p.Nth, p.Op, err)
	case err != nil && (string(got) != old || (lost == nil) != (old != "")):
		t.Errorf("call %d of %q: the file is %q, %v, after %v", p.Nth, p.Op, got, lost, err)
	}
	if names := strings.Trim(strings.ReplaceAll(left(t, folder), "answer.csv", ""), " "); names != "" {
		t.Errorf("call %d of %q: left behind: %s", p.Nth, p.Op, names)
	}
}
