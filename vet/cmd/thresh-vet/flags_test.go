package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wrong returns a file of package m with one error in its ninth line. first is its first line.
func wrong(first, use string) string {
	return first + `

package m

import "os"

` + use + `

type file struct{ *os.File }

func (f file) Write(p []byte) (int, error) { return f.File.Write(p[1:]) }
`
}

// check runs the program, and compares the lines that it reports with those that are wanted.
func check(t *testing.T, want []string, args ...string) {
	t.Helper()
	out, errs, err := program(t, args...)
	if found := rulesOf(out); !slices.Equal(found, want) || len(want) > 0 && !errors.Is(err, errFound) || len(want) == 0 && err != nil {
		t.Errorf("%q: %v, error %v\n%s", args, found, err, errs)
	}
}

// fails runs the program, which must not be able to load the package example.com/dep.
func fails(t *testing.T, args ...string) {
	t.Helper()
	_, errs, err := program(t, args...)
	if err == nil || errors.Is(err, errFound) || !strings.Contains(errs, "example.com/dep") {
		t.Errorf("%q: error %v\n%s", args, err, errs)
	}
}

// TestMod checks a package that needs a module which is in the vendor folder only.
func TestMod(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	module(t, map[string]string{
		"a.go":                          wrong("// Package m has a dependency.", "import _ \"example.com/dep\""),
		"vendor/example.com/dep/dep.go": "package dep\n",
		"vendor/modules.txt":            "# example.com/dep v1.0.0\n## explicit\nexample.com/dep\n",
	}, "require example.com/dep v1.0.0\n")
	want := []string{"a.go:9:bypassedoverride"}
	check(t, want)
	fails(t, "--mod", "mod")
	t.Setenv("GOFLAGS", "-mod=mod")
	fails(t)
	check(t, want, "--mod", "vendor")
}

// TestModfile checks a package whose go.mod lacks a requirement that another file has.
func TestModfile(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	module(t, map[string]string{
		"a.go":       wrong("// Package m has a dependency.", "import _ \"example.com/dep\""),
		"dep/go.mod": "module example.com/dep\n\ngo 1.26\n",
		"dep/dep.go": "package dep\n",
		"other.mod": "module example.com/m\n\ngo 1.26\n\nrequire example.com/dep v1.0.0\n\n" +
			"replace example.com/dep => ./dep\n",
	})
	fails(t)
	check(t, []string{"a.go:9:bypassedoverride"}, "--modfile", "other.mod")
}

// TestOverlay checks a package with a file in the place of another.
func TestOverlay(t *testing.T) {
	module(t, map[string]string{"a.go": "package m\n", "new.txt": wrong("// Package m was replaced.", "var _ int")})
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(here, "a.go"): filepath.Join(here, "new.txt")},
	})
	if err != nil {
		t.Fatal(err)
	}
	module(t, map[string]string{"overlay.json": string(overlay)})
	file, err := filepath.Abs("overlay.json")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(here)
	check(t, nil)
	out, errs, err := program(t, "--overlay", file)
	if !errors.Is(err, errFound) || !strings.Contains(out, ":9:") || !strings.Contains(out, "(bypassedoverride)\n") {
		t.Errorf("error %v\n%s%s", err, out, errs)
	}
}

// TestRace checks a package with a file that only a build with -race has.
func TestRace(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1") // -race needs it
	module(t, map[string]string{"a.go": "package m\n", "race.go": wrong("//go:build race", "var _ int")})
	check(t, nil)
	check(t, []string{"race.go:9:bypassedoverride"}, "--race")
}

// TestTests checks a package with an error and a warning in a test.
func TestTests(t *testing.T) {
	const warned = `package m

import (
	"io"
	"os"
)

func copies(dst, src *os.File) (int64, error) {
	return io.CopyBuffer(dst, src, make([]byte, 64<<10))
}
`
	module(t, map[string]string{"a.go": "package m\n", "a_test.go": wrong("// In a test.", "var _ int"), "b_test.go": warned})
	check(t, []string{"a_test.go:9:bypassedoverride"})
	check(t, []string{"a_test.go:9:bypassedoverride", "b_test.go:9:ignoredbuffer"}, "--tests")
}
