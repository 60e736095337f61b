package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// module makes a module of files in a temporary folder.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// goCommand runs the go command in a folder and returns what it prints.
func goCommand(t *testing.T, dir string, environment []string, args ...string) string {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir, command.Env = dir, append(os.Environ(), environment...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s, %v: %v\n%s", strings.Join(args, " "), environment, err, out)
	}
	return string(out)
}

// TestShapes generates functions of all shapes, and compares what they return with what the
// compiler's versions return. go vet compares the frames with the declarations.
func TestShapes(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"go.mod", "main.go", "source.go"} {
		text, err := os.ReadFile(filepath.Join("testdata/shapes", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	dir := module(t, files)
	if err := run(dir, "", false, nil); err != nil {
		t.Fatal(err)
	}
	if err := run(dir, "", true, nil); err != nil {
		t.Error("generated twice:", err)
	}
	for _, m := range machines {
		t.Run(m.name, func(t *testing.T) {
			ordinary := []string{"GOARCH=" + m.name, "GOEXPERIMENT=", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off"}
			goCommand(t, dir, ordinary, "vet", ".")
			runner := []string{"run", "."}
			if m.name != goCommand(t, dir, nil, "env", "GOARCH")[:5] {
				emulator, err := exec.LookPath(map[string]string{"arm64": "qemu-aarch64", "amd64": "qemu-x86_64"}[m.name])
				if err != nil {
					t.Skip(err)
				}
				runner = []string{"run", "-exec", emulator, "."}
			}
			got := goCommand(t, dir, ordinary, runner...)
			want := goCommand(t, dir, append(ordinary, "GOEXPERIMENT=simd"), runner...)
			if got != want || !strings.HasSuffix(got, "\n1000\n") {
				t.Errorf("generated:\n%s\ncompiled:\n%s", got, want)
			}
		})
	}
	t.Run("check", func(t *testing.T) {
		file := filepath.Join(dir, "simd_amd64.s")
		if err := os.WriteFile(file, []byte("// old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run(dir, "amd64", true, nil); err == nil || !strings.Contains(err.Error(), "simd_amd64.s is not what its sources make") {
			t.Errorf("a file that is not up to date: %v", err)
		}
	})
}

// TestLeft: when the last source of a package is deleted, its assembly is deleted too.
func TestLeft(t *testing.T) {
	dir := module(t, map[string]string{"go.mod": "module left\n\ngo 1.27\n", "left.go": "package left\n",
		"simd_amd64.s": "// old\n", "simd_amd64.go": "//go:build !goexperiment.simd\n\npackage left\n"})
	if err := run(dir, "amd64", false, nil); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "simd_*")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// TestRefused: gen refuses what it cannot translate, and says why.
func TestRefused(t *testing.T) {
	const head = "//go:build goexperiment.simd\n\npackage refused\n\nimport _ \"simd/archsimd\"\n\n"
	tests := map[string]struct{ source, use, want string }{
		"a variable":       {"var table = [2]int{1, 2}", "table[0]", "table is used elsewhere: move it"},
		"a read variable":  {"var table = [2]int{1, 2}\n\nfunc f(i int) int { return table[i&1] }", "f(1)", "it uses table, declared at"},
		"a call":           {"func f(s string) string { return s + s }", `f("a")`, "split the source"},
		"a function value": {"func f(g2 func() int) int { return g2() }", "f(nil)", "g2 is of type func() int"},
		"an array":         {"func f(a [3]int) int { return 1 }", "f([3]int{})", "pass it by pointer"},
		"ten words":        {"func f(a, b, c []int, d int) int { return d }", "f(nil, nil, nil, 1)", "more than 9 words are passed"},
		"a method":         {"func (T) m() int { return 1 }", "T{}.m()", "method m is used elsewhere"},
		"a variadic":       {"func f(a ...int) int { return len(a) }", "f(1)", "variable number of arguments"},
		"a pointer kept":   {"func f(p **int, q *int) int { *p = q; return 1 }", "f(nil, nil)", "runtime.writeBarrier, which is not of this package"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := module(t, map[string]string{"go.mod": "module refused\n\ngo 1.27\n", "source.go": head + test.source + "\n",
				"use.go": "package refused\n\ntype T struct{}\n\nvar _ = " + test.use + "\n"})
			if err := run(dir, "amd64", false, nil); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
