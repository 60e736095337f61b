package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func run(args ...string) (stdout, stderr string, err error) {
	var out, errs bytes.Buffer
	cmd := newCommand()
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(args)
	err = cmd.Execute()
	return out.String(), errs.String(), err
}

func TestMakers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	tests := []struct {
		args   string
		size   int64
		stderr string
	}{
		{"log --size 64kB", 64000, ""},
		{"log --size 64kB --seed 2 --at 32kB --needle fire", 64000, "fire\n"},
		{"haystack --size 1MiB", 1 << 20, ""},
		{"image --size 3MiB", 3 << 20, "ext4\n"},
		{"floats --size 1kB --nan 3,9", 1000, ""},
	}
	for _, test := range tests {
		_, stderr, err := run(append(strings.Fields(test.args), "-o", path)...)
		if err != nil {
			t.Errorf("%s: %v", test.args, err)
			continue
		}
		info, err := os.Stat(path)
		if err != nil || info.Size() != test.size {
			t.Errorf("%s: %v, error %v; want %d bytes", test.args, info, err, test.size)
		}
		if !strings.Contains(stderr, test.stderr) || test.stderr == "" && stderr != "" {
			t.Errorf("%s: standard error %q, want %q in it", test.args, stderr, test.stderr)
		}
	}
}

func TestStandardOutput(t *testing.T) {
	stdout, _, err := run("log", "--size", "1000")
	if err != nil || len(stdout) != 1000 || !strings.HasSuffix(stdout, "\n") {
		t.Errorf("%d bytes, error %v", len(stdout), err)
	}
}

func TestWrongUseIsAnErrorAndLeavesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	for _, args := range []string{
		"log -o " + path, "log --size lots -o " + path, "log --size 10 --needle x -o " + path,
		"log --size 99999999999999999999 -o " + path, "haystack --size 64", "haystack --size 63 -o " + path,
		"image --size 4096 -o " + path, "floats --size 7 -o " + path, "floats --size 8 --nan 2 -o " + path,
		"salt --size 8",
	} {
		if _, _, err := run(strings.Fields(args)...); err == nil {
			t.Errorf("%s: no error", args)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: left a file", args)
		}
	}
}
