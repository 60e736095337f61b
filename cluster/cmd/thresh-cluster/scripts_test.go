package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/cluster"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/verbs"
)

// questionsOf are the verbs that both programs have.
var questionsOf = map[string]func() *command.Verb{"grep": verbs.Grep, "find": verbs.Find, "count": verbs.Count,
	"table": verbs.Table, "sql": verbs.SQL}

// scripts are those about what both programs answer. An ordinary run asks those of fewScripts, "make cluster-questions" all.
const (
	scripts = "alternatives count figures grep header json lines ndjson nulls select several sql table table-dialect table-names " +
		"table-numbers"
	fewScripts = "count grep nulls sql table table-names"
)

// refusedAs are beginnings of what is said of questions that are not for a cluster.
var refusedAs = []string{"is not for a cluster", "not on a cluster: ", "on one machine", "cannot be read in parts"}

// TestScripts asks the questions of the scripts of thresh of both programs, with inputs of several cells, and compares
// what they print and their exit statuses. A question may be refused, with a reason; and if an input cannot be read to
// its end there is an error where thresh prints what it has read.
func TestScripts(t *testing.T) {
	cluster.Quiet()
	runner, err := cluster.Embedded(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	shared := func(context.Context) (*cluster.Runner, error) { return runner, nil }
	s := &scripted{embedded: shared, reasons: map[string]int{}}
	tensors, err := filepath.Abs("../../../internal/tensor/testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TENSORS", tensors)
	names := fewScripts
	if os.Getenv("THRESH_CLUSTER_QUESTIONS") == "all" {
		names = scripts
	}
	for name := range strings.FieldsSeq(names) {
		text, err := os.ReadFile("../../../cmd/thresh/testdata/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { s.script(t, string(text)) })
	}
	t.Logf("%d questions answered alike, %d refused: %v", s.alike, s.refused, s.reasons)
	if s.alike < s.refused {
		t.Errorf("only %d questions were compared, and %d refused", s.alike, s.refused)
	}
}

// scripted compares the questions of scripts.
type scripted struct {
	embedded
	alike, refused int
	reasons        map[string]int
}

// script makes the files of a script, and asks its questions. What the script checks is not looked at.
func (s *scripted) script(t *testing.T, text string) {
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("HOME", folder)
	t.Setenv("WORK", folder)
	parts := regexp.MustCompile(`(?m)^-- (.+) --\n`).FindAllStringSubmatchIndex(text, -1)
	lines := text
	for i, p := range parts {
		end := len(text)
		if i == 0 {
			lines = text[:p[0]]
		}
		if i+1 < len(parts) {
			end = parts[i+1][0]
		}
		name := text[p[2]:p[3]]
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text[p[1]:end]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stdin := ""
	for line := range strings.Lines(lines) {
		words := split(strings.TrimPrefix(strings.TrimSpace(line), "! "))
		switch {
		case len(words) < 2 || words[len(words)-1] == "&":
		case words[0] == "stdin":
			stdin = words[1]
		case words[0] == "exec" && words[1] == "thresh":
			if len(words) > 2 && questionsOf[words[2]] != nil && !slices.Contains(words, "--help") &&
				!slices.Contains(words, "-h") {
				s.question(t, stdin, words[2:])
			}
			stdin = ""
		default:
			prepare(words)
		}
	}
}

// question asks a question of both programs.
func (s *scripted) question(t *testing.T, stdin string, args []string) {
	var size int64
	for _, name := range args {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			size = max(size, info.Size())
		}
	}
	cell := strconv.FormatInt(max(size/5, 32), 10)
	want, messages, status := ask(t, stdin, thresh, args...)
	wrote := outputs(args)
	farther := append([]string{args[0], "--cell", cell, "--range", cell}, args[1:]...)
	got, other, otherStatus := ask(t, stdin, func(args []string, files [3]*os.File) int {
		return program(args, files[0], files[1], files[2], s.embedded)
	}, farther...)
	for _, why := range refusedAs {
		if _, after, refused := strings.Cut(other, why); refused && otherStatus == command.WrongUsage {
			s.refused++
			s.reasons[why+strings.SplitN(after, "\n", 2)[0]]++
			return
		}
	}
	switch {
	case status == command.Unread && otherStatus == command.WrongUsage && other != "":
		return
	case varies.ReplaceAllString(got, "") != varies.ReplaceAllString(want, "") || status != otherStatus || wrote != outputs(args):
		t.Errorf("%q in cells of %s: status %d, want %d\ngot  %.600s\nwant %.600s\n%s%s", args, cell, otherStatus, status, got, want,
			messages, other)
	}
	s.alike++
}

// varies are times, and how much was read of an input whose rest does not matter.
var varies = regexp.MustCompile(`"elapsed(_total)?":\{[^}]*\},?|"bytes(_searched|_printed)?":[0-9]+,`)

// outputs returns the content of the file of --output.
func outputs(args []string) string {
	i := slices.Index(args, "--output")
	if i < 0 && args[0] != "grep" {
		i = slices.Index(args, "-o")
	}
	if i < 0 || i+1 == len(args) {
		return ""
	}
	content, err := os.ReadFile(args[i+1])
	return fmt.Sprint(string(content), err != nil)
}

// thresh is the program thresh, with the verbs that are compared.
func thresh(args []string, files [3]*os.File) int {
	c := command.NewConsole(args, files[0], files[1], files[2])
	root := &cobra.Command{Use: "thresh"}
	c.Root(root)
	root.AddCommand(questionsOf[args[0]]().Command(c, false))
	return command.Execute(root, c)
}

// ask runs a program with standard streams that are files, and returns what is in them.
func ask(t *testing.T, stdin string, program func(args []string, files [3]*os.File) int, args ...string) (out, messages string,
	status int) {
	t.Helper()
	folder := t.TempDir()
	if stdin == "" {
		stdin = os.DevNull
	}
	var files [3]*os.File
	for i, name := range []string{stdin, filepath.Join(folder, "out"), filepath.Join(folder, "err")} {
		flags := os.O_RDWR | os.O_CREATE
		if i == 0 {
			flags = os.O_RDONLY
		}
		f, err := os.OpenFile(name, flags, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	status = program(args, files)
	texts := [3]string{}
	for i, f := range files[1:] {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(b)
	}
	return texts[0], texts[1], status
}

// split returns the words of a line of a script.
func split(line string) (words []string) {
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "[") {
		return nil
	}
	var word strings.Builder
	quoted, begun := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' && quoted && i+1 < len(line) && line[i+1] == '\'':
			word.WriteByte(c)
			i++
		case c == '\'':
			quoted, begun = !quoted, true
		case (c == ' ' || c == '\t') && !quoted:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		case c == '$' && !quoted:
			name := regexp.MustCompile(`^\$(\w+|\{[^}]*\})`).FindString(line[i:])
			word.WriteString(os.ExpandEnv(name))
			i += max(len(name), 1) - 1
			begun = true
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

// prepare makes files as scripts do. What it does not know, and what fails, leaves a file out for both programs.
func prepare(words []string) {
	size := func(text string) int64 {
		n, err := bytesize.Parse(text)
		if err != nil {
			return 0
		}
		return n
	}
	switch words[0] {
	case "mkdir":
		_ = os.MkdirAll(words[1], 0o777)
	case "cp", "mv":
		if len(words) > 2 {
			_ = exec.Command(words[0], words[1:]...).Run()
		}
	case "rm":
		_ = os.RemoveAll(words[1])
	case "repeat":
		if n, err := strconv.Atoi(words[2]); err == nil {
			_ = os.WriteFile(words[1], []byte(strings.Repeat(strings.Join(words[3:], "\n")+"\n", n)), 0o666)
		}
	case "make":
		if n := size(words[2]); n <= 64<<20 {
			content := make([]byte, n)
			for _, arg := range words[3:] {
				at, digits, _ := strings.Cut(arg, "=")
				for i := 0; i+1 < len(digits); i += 2 {
					b, _ := strconv.ParseUint(digits[i:i+2], 16, 8)
					content[min(size(at)+int64(i/2), n-1)] = byte(b)
				}
			}
			_ = os.WriteFile(words[1], content, 0o666)
		}
	case "exec":
		if slices.Contains([]string{"gzip", "zstd", "xz", "bzip2", "ln", "touch"}, words[1]) &&
			!strings.Contains(strings.Join(words, " "), "thresh") {
			_ = exec.Command(words[1], words[2:]...).Run()
		}
	}
}
