package regex

import (
	"bufio"
	"compress/bzip2"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// TestExhaustive runs the expressions and texts that RE2 was tested with, as contained in the
// standard library, through every way of searching: a sample of them, or all with
// THRESH_EXHAUSTIVE=all.
func TestExhaustive(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("the standard library's source is not here: %v", err)
	}
	f, err := os.Open(filepath.Join(strings.TrimSpace(string(root)), "src/regexp/testdata/re2-exhaustive.txt.bz2"))
	if err != nil {
		t.Skipf("the standard library's source is not here: %v", err)
	}
	defer f.Close()
	step, most := rounds.Every(999), math.MaxInt
	switch {
	case os.Getenv("THRESH_EXHAUSTIVE") == "all":
		step = 1
	case testing.Short():
		step, most = 333, 10_000 // decompressing them takes longer than the rest
	}
	var text []byte
	n, inStrings := 0, false
	lines := bufio.NewScanner(bzip2.NewReader(f))
	for n < most && lines.Scan() {
		line := lines.Text()
		switch {
		case line == "strings":
			text, inStrings = nil, true
		case line == "regexps":
			inStrings = false
		case strings.HasPrefix(line, `"`):
			q, err := strconv.Unquote(line)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if inStrings {
				text = append(append(text, q...), '\n')
				continue
			}
			if n++; n%step == 0 {
				check(t, q, [][]byte{text, malformedElsewhere(text)})
			}
		}
	}
	if err := lines.Err(); err != nil || n < min(most, 100_000) {
		t.Errorf("%d expressions: %v", n, err)
	}
}

// malformedElsewhere puts a byte that is not UTF-8 at one end of each line.
func malformedElsewhere(text []byte) (out []byte) {
	for i, line := range strings.SplitAfter(string(text), "\n") {
		switch {
		case line == "":
		case i%2 == 0:
			out = append(append(out, "\xff "...), line...)
		default:
			out = append(append(out, line[:len(line)-1]...), " \xe2\x82\n"...)
		}
	}
	return out
}
