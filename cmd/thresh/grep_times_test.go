package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/command"
)

// TestGrepTimes: the same lines come from a file, a compressed file and a pipe, with the same offsets.
func TestGrepTimes(t *testing.T) {
	folder := t.TempDir()
	var text, want strings.Builder
	for i := range 20_000 {
		line := fmt.Sprintf("2026-11-20T10:%02d:%02d.%03dZ line %d\n", i/1200, i/20%60, i%20*50, i)
		if i%7 == 0 {
			line += fmt.Sprintf("  at line %d\n", i)
		}
		for _, part := range strings.SplitAfter(strings.TrimSuffix(line, "\n"), "\n") {
			part = strings.TrimSuffix(part, "\n") + "\n"
			if i >= 6000 && i < 7200 {
				fmt.Fprintf(&want, "%d:%s", text.Len(), part)
			}
			text.WriteString(part)
		}
	}
	plain, packed := filepath.Join(folder, "log"), filepath.Join(folder, "log.gz")
	must(t, os.WriteFile(plain, []byte(text.String()), 0o600))
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text.String()))
	must(t, err)
	must(t, w.Close())
	must(t, os.WriteFile(packed, b.Bytes(), 0o600))
	flags := []string{"-b", "--from", "2026-11-20T10:05Z", "--to", "2026-11-20T11:06:00+01:00", "line"}
	for _, name := range []string{plain, packed, "-"} {
		out, status := grepFrom(t, plain, append(flags, name))
		if out != want.String() || status != 0 {
			t.Errorf("%s, status %d: %d bytes, want %d: %.100q", name, status, len(out), want.Len(), out)
		}
	}
	out, status := grepFrom(t, plain, append(append([]string{"-r", "-h"}, flags...), folder))
	if out != want.String()+want.String() || status != 0 {
		t.Errorf("two files, status %d: %d bytes, want %d", status, len(out), 2*want.Len())
	}
	for _, wrong := range [][]string{
		{"--from", "10 o'clock", "x", plain}, {"--utc", "x", plain}, {"--zone", "CST=-06:00", "x", plain},
		{"--from", "2026-11-20", "--zone", "CST", "x", plain}, {"--from", "2026-11-20 10:05 CST", "x", plain}, {"--time-format", "%Y", "x", plain},
		{"--from", "2026-11-20", "--to", "2026-11-19", "x", plain}, {"--from", "now", "--time-format", "%H:%M", "x", plain},
		{"--from", "2026-11-20", "x", packed, "--no-decompress"},
		{"--from", "2026-11-20", "--zone", "CST=-06:00", "--zone", "CST=+08:00", "x", plain},
	} {
		if _, status := grepFrom(t, plain, wrong); status != command.WrongUsage {
			t.Errorf("%q: status %d, want %d", wrong, status, command.WrongUsage)
		}
	}
}

// TestGrepZones: several zones are said, also for what --from says.
func TestGrepZones(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	must(t, os.WriteFile(log, []byte("2026-11-20 10:00:00 CST a\n2026-11-20 23:00:00 IST b\n2026-11-20 18:30:00 UTC c\n"), 0o600))
	zones := []string{"--zone", "CST=-06:00", "--zone", "IST=+05:30", "--zone", "CST=-06:00", "--zone", "PST=none"}
	for from, want := range map[string]string{"2026-11-20 10:00 CST": "a\nb\nc\n", "2026-11-20 10:01 CST": "b\nc\n", "2026-11-20 23:01 IST": "c\n"} {
		if out, status := grepFrom(t, log, append(slices.Clone(zones), "-o", "--from", from, "[abc]$", log)); status != 0 || out != want {
			t.Errorf("from %s: status %d, %q, want %q", from, status, out, want)
		}
	}
	if _, status := grepFrom(t, log, []string{"--zone", "IST=+05:30", "--from", "2026-11-20", "a", log}); status != command.WrongUsage {
		t.Errorf("without a meaning of CST: status %d, want %d", status, command.WrongUsage)
	}
}

// TestGrepShowZone: lines of several files and of a pipe come in another zone, with the places of matches in the file.
func TestGrepShowZone(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(folder, name)
		must(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	log := file("log", "begin\n2026-11-20T10:05:00Z a\n  at x\n2026-11-20T20:05:00.5+01:00 b\n")
	syslog, unclear := file("syslog", "Nov 20 23:05:00 host a\n"), file("unclear", "2026-11-20 10:05:00 CST a\n")
	const first, second = "2026-11-20T15:35:00+05:30 a\n", "2026-11-21T00:35:00.5+05:30 b\n"
	for _, c := range []struct {
		want string
		args []string
	}{
		{first, []string{"a$", log}}, {first + second, []string{"[ab]$", log}}, {first + "  at x\n", []string{"-v", "b", log}},
		{"begin\n" + first + "  at x\n" + second, []string{log}}, {first, []string{"a$"}}, {first + second, []string{"[ab]$", "-"}},
		{"2:" + first + "3-  at x\n", []string{"-n", "-A1", "a$", log}}, {"6:2026-11-20T15:35\n", []string{"-o", "-b", "^.*T..:..", "-m", "1", log}},
		{"T15\nT00\n", []string{"-o", "T..", log}}, {"+05:30 a\n", []string{"-o", "Z a", log}}, {"27:a\n64:b\n", []string{"-bo", "[ab]$", log}},
		{second, []string{"--from", "2026-11-20T19:00Z", log}}, {"Nov 21 03:35:00 host a\n", []string{"--zone", "+01:00", "a", syslog}},
		{log + ":" + first + syslog + ":Nov 21 04:35:00 host a\n", []string{"--utc", "a$", log, syslog}},
		{"2026-11-20 21:35:00 +0530 a\n", []string{"--zone", "CST=-06:00", "a", unclear}},
		{"2026-11-20T15:35:00\x1b[1;31m+05:30 a\x1b[0m\n", []string{"--color", "always", "Z a", log}},
	} {
		if out, status := grepFrom(t, log, append([]string{"--show-zone", "Asia/Kolkata"}, c.args...)); out != c.want || status != 0 {
			t.Errorf("%q: status %d\n%q\nwant %q", c.args, status, out, c.want)
		}
	}
	for _, wrong := range [][]string{{"Asia/Kolkata", "a", unclear}, {"Asia/Kolkata", "-c", "a", log},
		{"CST=-06:00", "a", log}, {"EST", "a", log}, {"", "a", log}} {
		if out, status := grepFrom(t, log, append([]string{"--show-zone"}, wrong...)); status != command.WrongUsage || out != "" {
			t.Errorf("%q: status %d, %q, want %d", wrong, status, out, command.WrongUsage)
		}
	}
}

// grepFrom runs thresh grep in this process with a file as standard input.
func grepFrom(t *testing.T, stdin string, args []string) (out string, status int) {
	t.Helper()
	content, err := os.ReadFile(stdin)
	must(t, err)
	in, feed, err := os.Pipe()
	must(t, err)
	defer in.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = feed.Write(content) // it fails if the reader stops early
		feed.Close()
	}()
	f, err := os.CreateTemp(t.TempDir(), "out")
	must(t, err)
	defer f.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	must(t, err)
	defer null.Close()
	status = runHere(append([]string{"grep"}, args...), in, f, null)
	in.Close() // the writer may still be writing; it ends now
	<-done
	b, err := os.ReadFile(f.Name())
	must(t, err)
	return string(b), status
}
