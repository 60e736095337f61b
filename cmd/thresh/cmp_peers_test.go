package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// TestCmpAsGNU compares random pairs of files with GNU's cmp: lengths, skips and differences around the borders of vectors,
// blocks and pieces. What both print, and the exit status, must be the same, except that the line of an end is not printed.
func TestCmpAsGNU(t *testing.T) {
	gnu := client.Program(t, "cmp", "diffutils")
	folder := t.TempDir()
	random := rand.New(rand.NewPCG(38, 1))
	for round := range rounds.Of(10_000) {
		a, b := pairOfFiles(random)
		one, other := filepath.Join(folder, "a"), filepath.Join(folder, "b")
		for name, content := range map[string][]byte{one: a, other: b} {
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		args := cmpArguments(random, len(a), len(b))
		full := append(args, one, other)
		if random.IntN(4) == 0 && !strings.Contains(strings.Join(args, " "), "-i") {
			full = append(full, fmt.Sprint(random.IntN(len(a)+2)), fmt.Sprint(random.IntN(len(b)+2)))
		}
		want, wantStatus := gnuCmp(t, gnu, full)
		engine := []string{"auto", "auto", "pread", "mmap", "stream"}[random.IntN(5)]
		if len(a) == 0 || len(b) == 0 {
			engine = "auto"
		}
		got, status := output(t, append([]string{"cmp", "--engine", engine, "--workers", fmt.Sprint(1 + random.IntN(3))}, full...))
		if got != want || status != wantStatus {
			t.Fatalf("round %d: cmp %v of %d and %d bytes, engine %s: %q, status %d, want %q, %d", round, full, len(a), len(b), engine,
				got, status, want, wantStatus)
		}
	}
}

// TestCmpOptionsAsGNU asks what the tests of GNU's cmp ask, and more of that kind: each option with each pair of small
// files, of which one is missing, and the forms of skips and lengths, right and wrong.
func TestCmpOptionsAsGNU(t *testing.T) {
	gnu := client.Program(t, "cmp", "diffutils")
	t.Chdir(t.TempDir())
	files := map[string]string{"a": "a\n", "b": "b\n", "c": "", "a1": "1\n", "a2": "1\nfoo", "a3": "1\nfoolery\n",
		"j1": "Jackdaws love my big sphinx of quartz!\x7f\x80\xff\t", "j2": "jackdaws love my big sphinx of quartz.\x00\x8a\xfe\r"}
	names := []string{"missing", "/dev/null"}
	for name, content := range files {
		names = append(names, name)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var asked [][]string
	for _, options := range []string{"", "-l", "-s", "-b", "-lb", "-i 1", "-n 1", "-i 1:0 -n 3"} {
		for _, one := range names {
			for _, other := range names {
				asked = append(asked, append(strings.Fields(options), one, other))
			}
		}
	}
	for _, row := range []string{"a2 a3 1", "a2 a3 1 2", "a2 a3 0 1kB", "a2 a3 1KiB 1K", "-i 1MB a2 a3", "-i 1kB:0 a2 a3", "-i 1: a b",
		"-i :1 a b", "-i 1:2:3 a b", "-i -1 a b", "-i 0x2 a2 a3", "-n 3kB a2 a3", "-n 1MB a2 a3", "-n 4 a2 a3", "-n 5 a2 a3", "-n 6 a2 a3",
		"-n 0 a b", "-n -1 a b", "-n +1 a b", "-n 1Z a b", "-n 5b a b", "-n 1x a b", "-n", "-i", "", "a b 1 2 3", "a b x", "-l -s a b",
		"--verbose j1 j2", "--silent a b", "--quiet a b", "--print-bytes j1 j2", "--ignore-initial=1:1 a2 a3", "--bytes=1 a b", "-z a b",
		". a", "a ."} {
		asked = append(asked, strings.Fields(row))
	}
	for _, args := range asked {
		want, wantStatus := gnuCmp(t, gnu, args)
		got, status := output(t, append([]string{"cmp"}, args...))
		if got != want && wantStatus < 2 || status != wantStatus {
			t.Errorf("cmp %v: %q, status %d, want %q, %d", args, got, status, want, wantStatus)
		}
	}
}

// gnuCmp runs GNU's cmp. Its answers about ends, which are on standard error, come after the others, without the line.
func gnuCmp(t *testing.T, program string, args []string) (string, int) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	exit := new(exec.ExitError)
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	text := out.String()
	for line := range strings.Lines(errs.String()) {
		_, ended, _ := strings.Cut(line, "cmp: ")
		ended, _, _ = strings.Cut(strings.TrimSuffix(ended, "\n"), ",")
		text += ended + "\n"
	}
	return text, cmd.ProcessState.ExitCode()
}

// output runs the program and returns what it prints on standard output, and its exit status.
func output(t *testing.T, args []string) (string, int) {
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	messages, err := os.Create(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Close()
	status := run(args, os.Stdin, out, messages)
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text), status
}

// pairOfFiles returns contents that are the same but for some bytes, and perhaps in length.
func pairOfFiles(random *rand.Rand) (a, b []byte) {
	sizes := []int{0, 1, 31, 32, 63, 64, 127, 128, 255, 256, 4096, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 2 << 20}
	n := sizes[random.IntN(12)]
	if random.IntN(200) == 0 {
		n = sizes[random.IntN(len(sizes))]
	}
	n = max(n+random.IntN(5)-2, 0)
	a = make([]byte, n)
	for i := range a {
		a[i] = byte(i>>5) + byte(i)*7
	}
	b = append([]byte(nil), a...)
	for range random.IntN(4) {
		if n == 0 {
			break
		}
		at := min(max(sizes[random.IntN(len(sizes))]+random.IntN(5)-2, 0), n-1)
		b[at] ^= byte(random.IntN(256))
	}
	switch random.IntN(6) {
	case 0:
		b = append(b, "tail"[:random.IntN(5)]...)
	case 1:
		b = b[:random.IntN(n+1)]
	}
	return a, b
}

func cmpArguments(random *rand.Rand, a, b int) (args []string) {
	for _, flag := range []string{"-b", "-l", "-s"} {
		if random.IntN(4) == 0 {
			args = append(args, flag)
		}
	}
	if joined := strings.Join(args, " "); strings.Contains(joined, "-s") {
		args = []string{"-s"}
	}
	switch random.IntN(6) {
	case 0:
		args = append(args, "-i", fmt.Sprint(random.IntN(a+2)))
	case 1:
		args = append(args, "-i", fmt.Sprintf("%d:%d", random.IntN(a+2), random.IntN(b+2)))
	}
	if random.IntN(4) == 0 {
		args = append(args, "-n", fmt.Sprint(random.IntN(a+2)))
	}
	return args
}
