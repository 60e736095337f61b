package wall

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/receipt"
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
	if !c.lacks(readBytes) && c.ReadChars < n {
		t.Errorf("read %d bytes, want at least %d; missing: %v", c.ReadChars, n, c.Missing)
	}
	// This program's own time is part of the machine's.
	if !c.lacks(machineBusy) &&
		before.totals.MachineBusy < before.totals.User {
		t.Errorf("all processors worked for %s, this program for %s", before.totals.MachineBusy, before.totals.User)
	}
	if c.Workers != 0 || c.Scanned != 0 || c.InputWait != 0 || c.OutputWait != 0 {
		t.Errorf("these are the caller's: %+v", c)
	}
}

// TestMissing: each counter may be denied by itself. Then a line says what is less certain and what opens it, and the
// parts add up all the same.
func TestMissing(t *testing.T) {
	for i, k := range counters {
		list := slices.Clone(counters)
		list[i].add = func(*Counters) error { return fs.ErrPermission }
		var c Counters
		c.read(list)
		if !c.lacks(k.name) {
			t.Errorf("%s: %+v", k.name, c.Missing)
		}
		c.Wall, c.Workers, c.Scanned, c.User, c.Cached = time.Second, 2, gb, 900*time.Millisecond, true
		var r receipt.Receipt
		Divide(&r, c, Probes{}, nil)
		checkSum(t, &r)
		line := ""
		for _, e := range r.Evidence {
			if strings.HasPrefix(e, "not counted: "+string(k.name)) {
				line += e
			}
		}
		if !strings.Contains(line, "permission denied") || !strings.Contains(line, k.parts+" less certain") ||
			!strings.Contains(line, "to have it, "+k.opens) {
			t.Errorf("%s: %q", k.name, line)
		}
		if counted := r.MemoryShare != nil; counted == (k.name == readBytes) {
			t.Errorf("%s: share of memory %v", k.name, r.MemoryShare)
		}
		for _, p := range r.Parts {
			if k.name == runQueue && p.Wall == receipt.Order {
				t.Errorf("without the wait for processors, %v is not known", p)
			}
		}
	}
}

// asOther makes the test print what it lacks.
const asOther = "THRESH_WALL_AS_OTHER"

// TestWithoutRights runs this program as a user that may execute it but not read it. Then its own /proc is closed.
func TestWithoutRights(t *testing.T) {
	if os.Getenv(asOther) != "" {
		s, err := Take()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range s.totals.Missing {
			fmt.Println(m.Why)
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root may become another user")
	}
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "program")
	err = errors.Join(os.WriteFile(name, program, 0o711), os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "-test.run=^TestWithoutRights$")
	cmd.Env, cmd.Dir = append(os.Environ(), asOther+"=1"), "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	want := "bytes read (open /proc/self/io: permission denied): storage, memory and copying less certain; " +
		"to have it, let the user of the process read its program file"
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s", err, out)
	}
}
