package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHelpWidth: help is at most 80 columns wide and shows the examples first. The command
// completion is excepted: the library of commands writes its help.
func TestHelpWidth(t *testing.T) {
	root := newRoot(&console{}, nil)
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
		if cmd.Flags().Lookup("engine") != nil && !strings.Contains(out.String(), "\nFlags about reading:\n") {
			t.Errorf("%s: the flags are not in groups", cmd.Name())
		}
		if len(lines) < 3 || lines[2] != "Examples:" {
			t.Errorf("%s: the examples are not first: %.200s", cmd.Name(), out.String())
		}
	}
}
