package whole_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/vet"
	"github.com/thresh-dev/thresh/vet/internal/whole"
)

// TestProgram checks a program whose wrappers are made in one package and copied to in another. A comment says
// what must be found in its line, and nothing else may be.
func TestProgram(t *testing.T) {
	dir, err := filepath.Abs("testdata/program")
	if err != nil {
		t.Fatal(err)
	}
	r, err := whole.Check(context.Background(), whole.Config{Dir: dir, Patterns: []string{"./..."}}, vet.All())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, f := range r.Found {
		at := r.Fset.Position(f.Pos)
		text := f.Message
		for _, x := range f.Related {
			text += fmt.Sprintf("\n\t%v: %s", r.Fset.Position(x.Pos), x.Message)
		}
		key := fmt.Sprintf("%s:%d", at.Filename, at.Line)
		found[key] = append(found[key], text)
	}
	logged := found[filepath.Join(dir, "upload", "upload.go")+":14"]
	for _, place := range []string{"upload.go:32:15: upload.logged is made here\n", "upload.go:32:7: handed on here\n",
		"upload.go:36:41: handed on here\n", "store.go:19:16: http.ServeFile sends a file here"} {
		if len(logged) != 1 || !strings.Contains(logged[0], place) {
			t.Errorf("the path lacks %s: %q", place, logged)
		}
	}
	want := regexp.MustCompile(`// want "(.*)"`)
	for name := range r.Files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			key := fmt.Sprintf("%s:%d", name, n)
			if m := want.FindStringSubmatch(line); m != nil {
				if len(found[key]) != 1 || !regexp.MustCompile(m[1]).MatchString(found[key][0]) {
					t.Errorf("%s: found %q, want %q", key, found[key], m[1])
				}
				delete(found, key)
			}
		}
	}
	for key, texts := range found {
		t.Errorf("%s: %s", key, strings.Join(texts, "\n"))
	}
	if len(r.Files) < 11 {
		t.Errorf("only %d files", len(r.Files))
	}
}
