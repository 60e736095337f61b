package python

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// recorder records how a test ended.
type recorder struct {
	testing.TB
	ended string
}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) {
	r.ended = "skipped: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.ended = "failed: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// TestMissing checks that a missing interpreter or module skips a test, and fails it where
// THRESH_PYTHON_MODULES requires Python.
func TestMissing(t *testing.T) {
	for _, test := range []struct{ interpreter, module, reason string }{
		{"", "", "THRESH_PYTHON names no Python interpreter"},
		{"/nonexistent/python", "pyarrow", "THRESH_PYTHON=/nonexistent/python"},
		{"false", "duckdb", `"import duckdb": exit status 1`}, // runs, and imports nothing
	} {
		for required, want := range map[string]string{"": "skipped: ", "require": "failed: "} {
			t.Setenv("THRESH_PYTHON", test.interpreter)
			t.Setenv("THRESH_PYTHON_MODULES", required)
			r := &recorder{TB: t}
			done := make(chan bool)
			go func() {
				defer close(done)
				Interpreter(r, test.module)
			}()
			<-done
			if !strings.HasPrefix(r.ended, want) || !strings.Contains(r.ended, test.reason) {
				t.Errorf("%+v, required %q: %s", test, required, r.ended)
			}
		}
	}
}
