package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/receipt"
)

// TestMain makes the program available to scripts as the command thresh. It runs in a process of
// its own, so scripts see the same exit statuses, closed pipes and signals as users do. The
// program is this one, or the one that the command in THRESH_UNDER_TEST starts.
func TestMain(m *testing.M) {
	program := main
	if command := strings.Fields(os.Getenv(underTest)); len(command) > 0 {
		program = func() { become(command) }
	}
	testscript.Main(m, map[string]func(){
		"thresh":  program,
		"sandbox": confined,
		"stall":   stalled,
	})
}

// underTest is an environment variable with a command, its words separated by spaces. Scripts run
// it instead of the program in this binary: an emulator and the program built for another
// processor.
const underTest = "THRESH_UNDER_TEST"

// TestScripts runs the scripts in testdata: the promises of the command line, and bad input.
func TestScripts(t *testing.T) {
	runScripts(t, "testdata", false)
}

// heedSignals lets programs that scripts start heed signals that this one was started to ignore, as by nohup or behind
// an ampersand: a shell can't trap those. Resetting them would not do it, a handler does, and stays.
func heedSignals(t *testing.T) {
	t.Helper()
	handler := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP, syscall.SIGTERM} {
		if signal.Ignored(s) {
			signal.Notify(handler, s)
		}
	}
}

// TestWalls runs the scripts that each make a run hit one wall. They measure, so they run one
// after the other.
func TestWalls(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for half a minute")
	}
	defer removeCgroup()
	runScripts(t, "testdata/walls", true)
}

func runScripts(t *testing.T, folder string, oneByOne bool) {
	heedSignals(t)
	params := testscript.Params{
		Dir: folder,
		Setup: func(env *testscript.Env) error {
			// No script sees or leaves limits in the user's own cache.
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv(underTest, os.Getenv(underTest))
			tensors, err := filepath.Abs("../../internal/tensor/testdata")
			env.Setenv("TENSORS", tensors)
			if oneByOne {
				env.Setenv("CGROUP", cgroupFolder())
			}
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"make":   makeFile,
			"repeat": repeatFile,
			"fill":   fillFile,
			"evict":  evictFile,
			"wall":   wallIs,
			"shm":    inMemory,
			"zip":    zipFile,
			"line":   lineIs,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "linux":
				return isLinux, nil
			case "cgroup":
				return cgroupFolder() != "", nil
			case "root":
				return os.Geteuid() == 0, nil
			case "emulated":
				return os.Getenv(underTest) != "", nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
	}
	if !oneByOne {
		testscript.Run(t, params)
		return
	}
	scripts, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts in %s: %v", folder, err)
	}
	params.Dir = ""
	for _, script := range scripts {
		params.Files = []string{script}
		t.Run("", func(t *testing.T) { testscript.Run(t, params) })
	}
}

// makeFile is the command "make FILE SIZE [OFFSET=HEX...]": a file of zeros (a hole, if the file
// system has holes) with bytes written at offsets.
func makeFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: make FILE SIZE [OFFSET=HEX...]")
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	n, err := bytesize.Parse(args[1])
	ts.Check(err)
	ts.Check(f.Truncate(n))
	for _, arg := range args[2:] {
		at, digits, _ := strings.Cut(arg, "=")
		off, err := bytesize.Parse(at)
		ts.Check(err)
		for i := 0; i+1 < len(digits); i += 2 {
			b, err := strconv.ParseUint(digits[i:i+2], 16, 8)
			ts.Check(err)
			_, err = f.WriteAt([]byte{byte(b)}, off+int64(i/2))
			ts.Check(err)
		}
	}
}

// repeatFile is the command "repeat FILE N TEXT [TEXT...]": a file with the texts, a line each,
// repeated N times.
func repeatFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: repeat FILE N TEXT...")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	lines := strings.Join(args[2:], "\n") + "\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(lines, n)), 0o600))
}

// fillFile is the command "fill FILE SIZE HEX [STEP]": a file without holes, filled with one byte,
// in writes of STEP bytes.
func fillFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: fill FILE SIZE HEX [STEP]")
	}
	n, err := bytesize.Parse(args[1])
	ts.Check(err)
	value, err := strconv.ParseUint(args[2], 16, 8)
	ts.Check(err)
	step := int64(16 << 20)
	if len(args) > 3 {
		step, err = bytesize.Parse(args[3])
		ts.Check(err)
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	block := bytes.Repeat([]byte{byte(value)}, int(step))
	for off := int64(0); off < n; off += step {
		_, err := f.WriteAt(block[:min(step, n-off)], off)
		ts.Check(err)
	}
}

// wallTries is how often a run may miss its wall because other programs use the machine.
const wallTries = 4

// wallIs is the command "wall NAME COMMAND": it fails unless the largest part of the time of the shell COMMAND, which
// runs thresh with a receipt in JSON, is NAME. What other programs took does not count, unless they took most.
func wallIs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: wall NAME COMMAND")
	}
	var text string
	judged := false
	for range wallTries {
		// The status says whether something was found, which does not matter here.
		_ = ts.Exec("sh", "-c", args[1])
		text = ts.ReadFile("stderr")
		var r receipt.Receipt
		ts.Check(json.Unmarshal([]byte(text[strings.LastIndex(text, "{\"bytes"):]), &r))
		parts := slices.DeleteFunc(slices.Clone(r.Parts), func(p receipt.Part) bool {
			return p.Wall == receipt.OtherPrograms || p.Wall == receipt.Host
		})
		if len(parts) > 0 && string(parts[0].Wall) == args[0] {
			return
		}
		judged = judged || r.Wall != receipt.OtherPrograms && r.Wall != receipt.Host
		time.Sleep(time.Second)
	}
	if !judged {
		ts.Logf("other programs used the machine in every try, as the receipts said: not judged")
		return
	}
	ts.Fatalf("not %s: %s", args[0], text)
}

// inMemory is the command "shm NAME": a folder in memory that is removed when the script ends.
func inMemory(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shm NAME")
	}
	folder, err := os.MkdirTemp("/dev/shm", "thresh-")
	ts.Check(err)
	ts.Defer(func() { os.RemoveAll(folder) })
	ts.Check(os.Symlink(folder, ts.MkAbs(args[0])))
}
