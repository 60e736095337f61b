package direct_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/direct"
	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// folder returns a folder in which files can be read directly. Without one it skips the test, or fails
// it if THRESH_REQUIRE names uring, which needs one too.
func folder(t *testing.T) string {
	t.Helper()
	var refusals []error
	for _, parent := range []string{os.TempDir(), "/var/tmp", "."} {
		name, err := os.MkdirTemp(parent, "thresh-direct-")
		if err != nil {
			refusals = append(refusals, err)
			continue
		}
		t.Cleanup(func() {
			if err := os.RemoveAll(name); err != nil {
				t.Error(err)
			}
		})
		f := open(t, name)
		e, err := direct.Open(f, engine.Config{})
		if err == nil {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			return name
		}
		refusals = append(refusals, err)
	}
	reason := errors.Join(refusals...)
	if strings.Contains(os.Getenv("THRESH_REQUIRE"), "uring") {
		t.Fatalf("required, but: %v", reason)
	}
	t.Skip(reason)
	return ""
}

func open(t *testing.T, folder string) *source.File {
	t.Helper()
	name := filepath.Join(folder, "probe")
	if err := os.WriteFile(name, []byte("probe"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestEngine(t *testing.T) {
	enginetest.Run(t, direct.Open, enginetest.Traits{Name: "direct", Folder: folder(t)})
}

func TestBrokenDevice(t *testing.T) {
	enginetest.BrokenDevice(t, direct.Open, enginetest.Traits{Name: "direct"})
}

// TestRefusals: what cannot be read directly is refused with the reason.
func TestRefusals(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	pipe, err := source.FromOS("pipe", r)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	inputs := map[string]*source.File{"not a file": pipe}
	if shm, err := os.MkdirTemp("/dev/shm", "thresh-direct-"); err == nil {
		defer os.RemoveAll(shm)
		inputs["in memory"] = open(t, shm)
	}
	for want, f := range inputs {
		var refused *failure.EngineError
		if _, err := direct.Open(f, engine.Config{}); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", f.Name, err, want)
		}
	}
}
