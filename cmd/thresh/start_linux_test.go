package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// startBytesMax is how many bytes all packages together may allocate before main. Every start of the program pays for
// them, most of all in pages that are touched for the first time: a tenth of a millisecond for some 20 kB.
const startBytesMax = 200 << 10

// TestStart: what the program allocates before main is within the budget. Bytes are counted and not time, which
// depends on the machine. What the runtime allocates meanwhile counts too, so the least of several starts is taken.
func TestStart(t *testing.T) {
	program := filepath.Join(t.TempDir(), "thresh")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var sums []int
	for range 3 {
		thresh := exec.Command(program, "--version")
		thresh.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		out, err := thresh.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", thresh, err, out)
		}
		trace := regexp.MustCompile(`(?m)^init \S+ @.* (\d+) bytes, \d+ allocs$`).FindAllSubmatch(out, -1)
		if len(trace) < 50 {
			t.Fatalf("%d packages were initialized:\n%s", len(trace), out)
		}
		sum := 0
		for _, line := range trace {
			bytes, err := strconv.Atoi(string(line[1]))
			if err != nil {
				t.Fatal(err)
			}
			sum += bytes
		}
		sums = append(sums, sum)
	}
	if least := slices.Min(sums); least > startBytesMax {
		t.Errorf("%d bytes are allocated before main, more than %d: GODEBUG=inittrace=1 thresh --version says by which packages",
			least, startBytesMax)
	}
}
