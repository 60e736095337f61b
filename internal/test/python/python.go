// Package python finds the Python interpreter for tests that compare answers with Python, or
// read files back with pyarrow or DuckDB. THRESH_PYTHON names the interpreter. Without it, or
// when a module cannot be imported, a test is skipped with the reason. With
// THRESH_PYTHON_MODULES=require, which make test sets, the test fails instead.
package python

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// Interpreter returns the interpreter that THRESH_PYTHON names, after it has imported all
// modules. If that fails, it skips the test, or fails it where Python is required.
func Interpreter(t testing.TB, modules ...string) string {
	t.Helper()
	name := os.Getenv("THRESH_PYTHON")
	switch err := usable(name, strings.Join(modules, ", ")); {
	case err == nil:
		return name
	case os.Getenv("THRESH_PYTHON_MODULES") == "require":
		t.Fatalf("run scripts/test-setup.sh: %v", err)
	default:
		t.Skipf("run scripts/test-setup.sh: %v", err)
	}
	return ""
}

// usable returns why an interpreter cannot import modules, nil if it can. An import takes up to
// a second, so each test binary imports a list of modules once.
func usable(name, modules string) error {
	if name == "" {
		return errors.New("THRESH_PYTHON names no Python interpreter")
	}
	first, _ := imports.LoadOrStore(name+"\n"+modules, sync.OnceValue(func() error {
		program := "import sys"
		if modules != "" {
			program = "import " + modules
		}
		if out, err := exec.Command(name, "-c", program).CombinedOutput(); err != nil {
			return fmt.Errorf("THRESH_PYTHON=%s: %q: %w\n%s", name, program, err, out)
		}
		return nil
	}))
	return first.(func() error)()
}

// imports holds a func() error for each interpreter and list of modules.
var imports sync.Map
