package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the program available to scripts under its own name, as processes of
// their own: exit statuses, closed pipes and signals are those that users see.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"thresh": main,
	})
}

// TestScripts runs the scripts in testdata: what CLI.md promises, and bad input.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			// No script sees or leaves limits in the user's own cache.
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"make":   makeFile,
			"repeat": repeatFile,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "linux":
				return isLinux, nil
			case "ordinary":
				return os.Geteuid() > 0, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
	})
}

// makeFile is the command "make FILE SIZE [OFFSET=HEX...]": a file of zeros, a hole where
// the file system has holes, with bytes written at offsets.
func makeFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: make FILE SIZE [OFFSET=HEX...]")
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	n, err := parseSize(args[1])
	ts.Check(err)
	ts.Check(f.Truncate(n))
	for _, arg := range args[2:] {
		at, digits, _ := strings.Cut(arg, "=")
		off, err := parseSize(at)
		ts.Check(err)
		for i := 0; i+1 < len(digits); i += 2 {
			b, err := strconv.ParseUint(digits[i:i+2], 16, 8)
			ts.Check(err)
			_, err = f.WriteAt([]byte{byte(b)}, off+int64(i/2))
			ts.Check(err)
		}
	}
}

// repeatFile is the command "repeat FILE N TEXT [TEXT...]": a file of N times the texts, a
// line each.
func repeatFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: repeat FILE N TEXT...")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	lines := strings.Join(args[2:], "\n") + "\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(lines, n)), 0o600))
}
