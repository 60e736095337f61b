package wall

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestTake(t *testing.T) {
	before, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	const n = 1 << 20
	name := t.TempDir() + "/file"
	if err := os.WriteFile(name, make([]byte, n), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(name); err != nil {
		t.Fatal(err)
	}
	b := mapAnonymous(t, 64<<12)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	block := make([]byte, 64<<10)
	for until := time.Now().Add(30 * time.Millisecond); time.Now().Before(until); {
		slowFunction(block)
	}
	after, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	c := after.Sub(before)
	if c.Wall < 30*time.Millisecond || c.User+c.System <= 0 || c.MinorFaults < 1 {
		t.Errorf("%+v", c)
	}
	if missing := strings.Join(c.Missing, "\n"); !strings.Contains(missing, "bytes read") &&
		c.ReadChars < n {
		t.Errorf("read %d bytes, want at least %d; missing: %s", c.ReadChars, n, missing)
	}
	// This program's own time is part of the machine's.
	if missing := strings.Join(c.Missing, "\n"); !strings.Contains(missing, "other programs") &&
		before.totals.MachineBusy < before.totals.User {
		t.Errorf("all processors worked for %s, this program for %s", before.totals.MachineBusy, before.totals.User)
	}
	if c.Workers != 0 || c.Scanned != 0 || c.InputWait != 0 || c.OutputWait != 0 {
		t.Errorf("these are the caller's: %+v", c)
	}
}
