package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/command"
)

// endingQuestions are commands that end by themselves, each with a question about the file that it is given.
var endingQuestions = map[string][]string{
	"grep": {"a"}, "find": {"--text=a"}, "count": {"--lines"}, "table": {"--rows"}, "minify": {"--trust"}, "blank": {},
}

// TestFlagValues gives every flag of every command values that are empty, zero, negative, huge and not what it takes,
// and two values. An empty value is an error that names the flag. Anything else is one, too, or is taken; nothing panics
// or waits.
func TestFlagValues(t *testing.T) {
	heedSignals(t)
	t.Chdir(t.TempDir())
	must(t, os.WriteFile("file", []byte("a,b\nc,d\n"), 0o600))
	tried := 0
	for _, made := range commands {
		v := made.make()
		flags := v.Command(newTestConsole(t), false).Flags()
		for _, f := range v.Flags {
			if flags.Lookup(f.Name).Value.Type() == "bool" {
				continue
			}
			args, ends := endingQuestions[made.name]
			base := append([]string{made.name}, args...)
			if ends {
				base = append(base, "file")
			}
			set := "--" + f.Name + "="
			try := func(values ...string) (status int, complaint string) {
				tried++
				given := slices.Clone(base)
				for _, v := range values {
					given = append(given, set+v)
				}
				return runWith(t, given)
			}
			status, complaint := try("")
			if !f.Empty && (status != command.WrongUsage || !strings.Contains(complaint, set[:len(set)-1])) {
				t.Errorf("%s %s'': status %d, %q", made.name, set, status, complaint)
			}
			if !ends {
				continue // a server, or a command that runs others
			}
			for _, values := range [][]string{{"0"}, {"-1"}, {"99999999999999999999"}, {"1e999"}, {"\x00"}, {"é~"}, {"1", "2"}} {
				status, complaint := try(values...)
				switch {
				case strings.Contains(complaint, "thresh: bug"), strings.Contains(complaint, "goroutine "):
					t.Errorf("%s %s%q: %s", made.name, set, values, complaint)
				case status == command.WrongUsage && len(complaint) < len("thresh: x"):
					t.Errorf("%s %s%q: status 2 without a reason", made.name, set, values)
				case status < command.Answered || status > command.Unread:
					t.Errorf("%s %s%q: status %d, %s", made.name, set, values, status, complaint)
				}
			}
		}
	}
	if tried < 600 {
		t.Errorf("only %d values were tried", tried)
	}
}

// newTestConsole returns a console of files that are closed with the test.
func newTestConsole(t *testing.T) *command.Console {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	must(t, err)
	t.Cleanup(func() { null.Close() })
	return command.NewConsole(nil, null, null, null)
}

// runWith runs a command in this process without input, and returns its exit status and what it printed on standard error.
func runWith(t *testing.T, args []string) (status int, complaint string) {
	t.Helper()
	c := newTestConsole(t)
	complaints, err := os.Create(filepath.Join(t.TempDir(), "err"))
	must(t, err)
	defer complaints.Close()
	done := make(chan int, 1)
	go func() { done <- runHere(args, c.In, c.Out, complaints) }()
	select {
	case status = <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%q waits for ever", args)
	}
	_, err = complaints.Seek(0, io.SeekStart)
	must(t, err)
	text, err := io.ReadAll(complaints)
	must(t, err)
	return status, string(text)
}
