package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/command"
)

// TestHelpWidth: help is at most 80 columns wide and shows the examples first. The command
// completion is excepted: the library of commands writes its help.
func TestHelpWidth(t *testing.T) {
	args := []string{"--help"}
	root := newRoot(command.NewConsole(args, nil, nil, nil), args)
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Name() == "completion" {
			continue
		}
		var out bytes.Buffer
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.String(), "\n")
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%s: %d columns: %s", cmd.Name(), n, line)
			}
		}
		if strings.Contains(out.String(), "[=\"") {
			t.Errorf("%s: a value in the words of the flag library: %s", cmd.Name(), out.String())
		}
		if cmd.Flags().Lookup("engine") != nil && !strings.Contains(out.String(), "\n"+command.Reading+"\n") {
			t.Errorf("%s: the flags are not in groups", cmd.Name())
		}
		if len(lines) < 3 || lines[2] != "Examples:" {
			t.Errorf("%s: the examples are not first: %.200s", cmd.Name(), out.String())
		}
	}
}

// TestBriefHelp: -h fits on a screen of 24 lines, with room for the prompt, and has five examples and twelve flags at
// most, which the verb has. That of the program has all verbs.
func TestBriefHelp(t *testing.T) {
	all := briefHelp(t)
	for _, v := range commands {
		if !strings.Contains(all, "\n  "+v.name+" ") {
			t.Errorf("-h lacks %s", v.name)
		}
		if v.name == "grep" {
			continue // its -h is GNU grep's
		}
		text := briefHelp(t, v.name)
		common := strings.Fields(v.make().Common)
		for _, name := range common {
			if !strings.Contains(text, " --"+name) {
				t.Errorf("%s -h lacks --%s", v.name, name)
			}
		}
		if len(common) > 12 || !strings.Contains(text, "thresh "+v.name+" --help") {
			t.Errorf("%s -h has %d flags:\n%s", v.name, len(common), text)
		}
	}
}

// briefHelp returns what -h prints after some arguments, and checks how it looks.
func briefHelp(t *testing.T, args ...string) string {
	t.Helper()
	args = append(args, "-h")
	root := newRoot(command.NewConsole(args, nil, nil, nil), args)
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) > 23 || len(lines) < 12 {
		t.Errorf("%v: %d lines:\n%s", args, len(lines), out.String())
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%v: %d columns: %s", args, n, line)
		}
		if strings.Count(line, "(") != strings.Count(line, ")") {
			t.Errorf("%v: a parenthesis is cut: %s", args, line)
		}
	}
	return out.String()
}

// TestFlagNames: conflicts and -h name flags that the verb has.
func TestFlagNames(t *testing.T) {
	for _, v := range commands {
		verb := v.make()
		names := verb.Common
		for _, c := range verb.Conflicts {
			names += " " + c.Flags + " " + c.With
		}
		for name := range strings.FieldsSeq(names) {
			if !slices.ContainsFunc(verb.Flags, func(f command.Flag) bool { return f.Name == name }) {
				t.Errorf("%s has no flag --%s", v.name, name)
			}
		}
	}
}
