package proof

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const fileBytes = 8 << 20

// setUp builds the shapes, and makes a file.
func setUp(t *testing.T) (program, file string) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatal("strace is missing: scripts/test-setup.sh installs it")
	}
	dir := t.TempDir()
	program, err := Build(t.Context(), root, dir)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "data")
	if err := os.WriteFile(file, make([]byte, fileBytes), 0o600); err != nil {
		t.Fatal(err)
	}
	return program, file
}

// The paths of a shape's two variants, and what its own counter counts of fileBytes.
type proof struct {
	flaggedKept, fixedKept       bool
	flaggedCounted, fixedCounted int64
}

// lost is the proof of most shapes: flagged they copy, mended they don't. found is that of shapes made
// after findings; what they count does not matter.
var (
	lost  = proof{fixedKept: true}
	found = proof{fixedKept: true, flaggedCounted: -1}
)

var proofs = map[string]proof{
	"bypassedoverride":   {flaggedKept: true, fixedKept: true, fixedCounted: fileBytes},
	"connwrapper":        lost,
	"doublecount":        {fixedKept: true, flaggedCounted: 2 * fileBytes, fixedCounted: fileBytes},
	"foundtee":           {flaggedCounted: 2 * fileBytes, fixedCounted: fileBytes}, // a tee has to copy
	"hiddenfile":         lost,
	"hiddenreader":       {fixedKept: true, flaggedCounted: fileBytes, fixedCounted: fileBytes},
	"hiddensection":      lost,
	"ignoredbuffer":      {flaggedKept: true, fixedKept: true},
	"missingencodinglen": lost,
	"missinglength":      lost,
	"nestedlimit":        lost,
	"relayedconn":        lost,
	"responsewrapper":    {fixedKept: true, flaggedCounted: fileBytes, fixedCounted: fileBytes},
}

// TestShapes runs each shape, and counts its system calls.
func TestShapes(t *testing.T) {
	program, file := setUp(t)
	names, err := shapeNames(root)
	if err != nil || len(names) < 10 {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range names {
		p, ok := proofs[name]
		switch {
		case name == "plain" || name == "stalledstdout":
			continue // see the tests below
		case !ok && strings.HasPrefix(name, "found"):
			p = found
		case !ok:
			t.Errorf("%s has no proof", name)
		}
		for _, v := range []struct {
			variant string
			kept    bool
			counted int64
		}{{Flagged, p.flaggedKept, p.flaggedCounted}, {Fixed, p.fixedKept, p.fixedCounted}} {
			o, err := Run{Program: program, Shape: name, Variant: v.variant, File: file, Trace: true}.Do(t.Context())
			if err != nil {
				t.Error(err)
				continue
			}
			if o.Bytes < fileBytes || o.Bytes > fileBytes+4<<10 {
				t.Errorf("%s, %s: %d bytes arrived", name, v.variant, o.Bytes)
			}
			if moved := o.Calls.Kept(); v.kept != (moved >= fileBytes*3/4) || !v.kept && moved > 0 {
				t.Errorf("%s, %s: %d of %d bytes moved inside of the kernel: %v", name, v.variant, moved, o.Bytes, o.Calls)
			}
			if o.Counted != v.counted && p != found {
				t.Errorf("%s, %s: counted %d, not %d", name, v.variant, o.Counted, v.counted)
			}
			t.Logf("%-20s %-8s %v", name, v.variant, o.Calls)
		}
	}
}

// TestFailure asks for a file that does not exist: the program ends well, and its transfer failed.
func TestFailure(t *testing.T) {
	program, file := setUp(t)
	if _, err := (Run{Program: program, Shape: "plain", Variant: Fixed, File: file + "x"}).Do(t.Context()); err == nil {
		t.Error("no error")
	}
}

// TestStall copies to a standard output that is a pipe whose reader pauses: splice is then called
// without end. On a busy machine the pause must be longer for that to show.
func TestStall(t *testing.T) {
	const spinning = 2000 // more calls than the file needs
	program, file := setUp(t)
	r := Run{Program: program, Shape: "stalledstdout", Variant: Flagged, File: file, Trace: true, StallFor: 300 * time.Millisecond}
	flagged, err := r.Do(t.Context())
	for err == nil && flagged.Calls["splice"].Calls < spinning && r.StallFor < 20*time.Second {
		r.StallFor *= 4
		flagged, err = r.Do(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Variant = Fixed
	fixed, err := r.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if flagged.Bytes < fileBytes || fixed.Bytes < fileBytes {
		t.Errorf("%d and %d bytes arrived", flagged.Bytes, fixed.Bytes)
	}
	idle, spun := fixed.Calls.Number(), flagged.Calls["splice"].Calls
	if fixed.Calls["splice"].Calls > 0 || idle > spinning {
		t.Errorf("fixed: %v", fixed.Calls)
	}
	t.Logf("%d calls of splice, mended %v", spun, fixed.Calls)
	if spun < spinning {
		t.Errorf("flagged: only %d calls of splice", spun)
	}
}
