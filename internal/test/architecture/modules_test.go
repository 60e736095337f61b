package architecture

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// companions are the modules of the workspace below the root, by folder: what few people need, with requirements of its own.
var companions = []string{"vet", "lab", "cluster"}

// modFile is what the tests want to know of a go.mod or go.work.
type modFile struct {
	Use     []struct{ DiskPath string }
	Require []struct {
		Path, Version string
		Indirect      bool
	}
	Replace []struct {
		Old struct{ Path, Version string }
		New struct{ Path string }
	}
}

func readMod(t *testing.T, kind, folder string) (m modFile) {
	t.Helper()
	edit := exec.Command("go", kind, "edit", "-json")
	edit.Dir = filepath.Join(root, folder)
	edit.Env = append(os.Environ(), "GOWORK=") // the file above
	out, err := edit.Output()
	if err == nil {
		err = json.Unmarshal(out, &m)
	}
	if err != nil {
		t.Fatalf("go.%s of %s: %v", kind, folder, err)
	}
	return m
}

// TestModules: the modules of the workspace replace nothing. Those with the root's internals require one version of it, that
// of this tree; the linter needs nothing of it, and the root nothing of them.
func TestModules(t *testing.T) {
	work := readMod(t, "work", ".")
	if len(work.Replace) != 1 || work.Replace[0].Old.Path != module || work.Replace[0].New.Path != "." {
		t.Fatalf("go.work replaces %v, want the root's version by this tree", work.Replace)
	}
	for _, folder := range append(companions, ".") {
		m := readMod(t, "mod", folder)
		if len(m.Replace) != 0 {
			t.Errorf("go.mod of %s replaces %v", folder, m.Replace)
		}
		for _, r := range m.Require {
			within := r.Path == module || strings.HasPrefix(r.Path, module+"/")
			if within && (folder == "." || folder == "vet") {
				t.Errorf("%s requires %s", folder, r.Path)
			} else if within && (r.Path != module || r.Version != work.Replace[0].Old.Version) {
				t.Errorf("%s requires %s %s, go.work replaces %s: run scripts/version.sh", folder, r.Path, r.Version, work.Replace[0].Old.Version)
			}
		}
		if !slices.ContainsFunc(work.Use, func(u struct{ DiskPath string }) bool { return filepath.Clean(u.DiskPath) == folder }) {
			t.Errorf("go.work does not use %s", folder)
		}
	}
	for _, name := range files(t) {
		if filepath.Ext(name) != ".go" || otherModule(filepath.ToSlash(filepath.Dir(name))) {
			continue
		}
		from := moduleOf(filepath.ToSlash(name))
		for _, to := range moduleImports(t, name) {
			if in := moduleOf(to + "/"); in != from && (in != "." || from == "vet") {
				t.Errorf("%s imports %s, which is of another module", name, to)
			}
		}
	}
}

// moduleOf returns the folder of the module that a file is in.
func moduleOf(name string) string {
	if first, _, _ := strings.Cut(name, "/"); slices.Contains(companions, first) {
		return first
	}
	return "."
}

// TestRequirements: what a go.mod requires directly, some file of that module imports.
func TestRequirements(t *testing.T) {
	imported := map[string][]string{}
	for _, name := range files(t) {
		if filepath.Ext(name) == ".go" && !otherModule(filepath.ToSlash(filepath.Dir(name))) {
			in := moduleOf(filepath.ToSlash(name))
			imported[in] = append(imported[in], fileImports(t, name)...)
		}
	}
	for _, folder := range append(companions, ".") {
		for _, r := range readMod(t, "mod", folder).Require {
			used := func(i string) bool { return i == r.Path || strings.HasPrefix(i, r.Path+"/") }
			if !r.Indirect && !slices.ContainsFunc(imported[folder], used) {
				t.Errorf("%s requires %s, which it does not import: run make tidy", folder, r.Path)
			}
		}
	}
}

// TestHelpIsOne: the linter's copy of how help looks is that of the other programs.
func TestHelpIsOne(t *testing.T) {
	const original, copied = "internal/command/usage", "vet/internal/usage"
	if err := exec.Command("diff", "-r", filepath.Join(root, original), filepath.Join(root, copied)).Run(); err != nil {
		t.Errorf("%s differs from %s (%v): copy it there", copied, original, err)
	}
}
