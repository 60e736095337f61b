package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// startBudget is how many bytes a package may allocate before main, if it is not listed.
const startBudget = 2048

// startBytes lists the packages that allocate more before main, and how many bytes they may. Every
// start of the program pays for it, most of all in pages that are touched for the first time. A
// library that appears here costs a tenth of a millisecond for some 20 kB, whatever was asked:
// do without it, or fill its tables when they are used first.
var startBytes = map[string]int{
	"compress/flate":                                 6 << 10, // of Go 1.26
	"crypto/internal/fips140/rsa":                    5 << 10,
	"crypto/tls":                                     4 << 10,
	"github.com/VictoriaMetrics/metrics":             20 << 10, // serve, relay: supported runtime metrics
	"github.com/klauspost/compress/flate":            40 << 10, // codes that only compressors use
	"github.com/klauspost/compress/internal/snapref": 14 << 10, // a table for a format that is not read here
	"github.com/mikelolasagasti/xz":                  48 << 10, // two tables of checksums
	"golang.org/x/net/http2/hpack":                   12 << 10, // serve: what net/http answers by itself
	"golang.org/x/sys/cpu":                           8 << 10,
	"html/template":                                  28 << 10, // serve
	"net":                                            4 << 10,
	"net/http":                                       30 << 10, // serve, relay
	"net/http/internal/http2":                        6 << 10,
	"regexp/syntax":                                  4 << 10,
	"runtime/metrics":                                24 << 10, // for VictoriaMetrics/metrics
	"unicode":                                        24 << 10,
	"vendor/golang.org/x/net/http2/hpack":            12 << 10,
}

// TestStart: no package allocates more before main than it is allowed to. Bytes are counted and not
// time, which depends on the machine. What the runtime allocates meanwhile counts too, so the least of
// several starts is taken.
func TestStart(t *testing.T) {
	least := map[string]int{}
	for range 5 {
		for name, bytes := range allocatedBeforeMain(t) {
			if known, ok := least[name]; !ok || bytes < known {
				least[name] = bytes
			}
		}
	}
	for name, bytes := range least {
		if most := max(startBytes[name], startBudget); bytes > most && !ofTestsOnly[name] {
			t.Errorf("%s allocates %d bytes before main, more than %d", name, bytes, most)
		}
	}
}

// allocatedBeforeMain starts the program, and returns the bytes by package.
func allocatedBeforeMain(t *testing.T) map[string]int {
	t.Helper()
	thresh := exec.Command("thresh", "--version")
	thresh.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := thresh.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", thresh, err, out)
	}
	trace := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`).FindAllSubmatch(out, -1)
	if len(trace) < 50 {
		t.Fatalf("%d packages were initialized:\n%s", len(trace), out)
	}
	all := map[string]int{}
	for _, line := range trace {
		if all[string(line[1])], err = strconv.Atoi(string(line[2])); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// ofTestsOnly are packages that only this test binary has, which runs as thresh, or that have tables
// of tests in it.
var ofTestsOnly = map[string]bool{
	"github.com/rogpeppe/go-internal/imports": true, "github.com/rogpeppe/go-internal/testscript": true,
	"internal/platform": true,
	"github.com/thresh-dev/thresh/internal/test/client": true,
	"github.com/thresh-dev/thresh/cmd/thresh":           true,
}
