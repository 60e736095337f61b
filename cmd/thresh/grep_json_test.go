package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// The messages of ripgrep, as its documentation of the printer for JSON has them. A client that is written for it
// needs every field, with this type.
type (
	rgText struct {
		Text  *string `json:"text,omitempty"`
		Bytes []byte  `json:"bytes,omitempty"`
	}
	rgTime struct {
		Seconds int64  `json:"secs"`
		Nanos   int64  `json:"nanos"`
		Human   string `json:"human"`
	}
	rgStats struct {
		Elapsed  rgTime `json:"elapsed"`
		Searches int64  `json:"searches"`
		With     int64  `json:"searches_with_match"`
		Searched int64  `json:"bytes_searched"`
		Printed  int64  `json:"bytes_printed"`
		Lines    int64  `json:"matched_lines"`
		Matches  int64  `json:"matches"`
	}
	rgSubmatch struct {
		Match rgText `json:"match"`
		Start int    `json:"start"`
		End   int    `json:"end"`
	}
	rgBegin struct {
		Path rgText `json:"path"`
	}
	rgLines struct {
		Path       rgText       `json:"path"`
		Lines      rgText       `json:"lines"`
		LineNumber *int64       `json:"line_number"`
		Offset     int64        `json:"absolute_offset"`
		Submatches []rgSubmatch `json:"submatches"`
	}
	rgEnd struct {
		Path   rgText  `json:"path"`
		Binary *int64  `json:"binary_offset"`
		Stats  rgStats `json:"stats"`
	}
	rgSummary struct {
		Elapsed rgTime  `json:"elapsed_total"`
		Stats   rgStats `json:"stats"`
	}
)

// rgMessages decodes messages strictly. Times are checked to be there, and then left out.
func rgMessages(t *testing.T, text []byte) (messages []any) {
	t.Helper()
	strict := func(b []byte, into any) {
		t.Helper()
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		again, err := json.Marshal(into)
		must(t, err)
		var one, two any
		must(t, json.Unmarshal(b, &one))
		must(t, json.Unmarshal(again, &two))
		if !reflect.DeepEqual(one, two) { // a field was missing, or both text and bytes were there
			t.Fatalf("%s\nis read as %s", b, again)
		}
	}
	timeless := func(times ...*rgTime) {
		t.Helper()
		for _, one := range times {
			if one.Human == "" || one.Nanos < 0 || one.Nanos >= 1e9 {
				t.Errorf("a time is %+v", *one)
			}
			*one = rgTime{}
		}
	}
	for line := range bytes.Lines(text) {
		var m struct {
			Type string          `json:"type"`
			Data json.RawMessage `json:"data"`
		}
		strict(line, &m)
		switch m.Type {
		case "begin":
			var data rgBegin
			strict(m.Data, &data)
			messages = append(messages, m.Type, data)
		case "match", "context":
			var data rgLines
			strict(m.Data, &data)
			messages = append(messages, m.Type, data)
		case "end":
			var data rgEnd
			strict(m.Data, &data)
			timeless(&data.Stats.Elapsed)
			messages = append(messages, m.Type, data)
		case "summary":
			var data rgSummary
			strict(m.Data, &data)
			timeless(&data.Stats.Elapsed, &data.Elapsed)
			messages = append(messages, m.Type, data)
		default:
			t.Fatalf("a message of type %q", m.Type)
		}
	}
	return messages
}

// countsAll reports whether this ripgrep's summary counts files without a match, as version 14 began to do.
func countsAll(t *testing.T, rg string) bool {
	t.Helper()
	out, err := exec.Command(rg, "--version").Output()
	must(t, err)
	var major int
	if _, err := fmt.Sscanf(string(out), "ripgrep %d.", &major); err != nil {
		t.Fatalf("%v: ripgrep's version is %q", err, out)
	}
	return major >= 14
}

// TestGrepJSON reads the messages of thresh grep --json as a client of ripgrep would, and compares them with
// ripgrep's.
func TestGrepJSON(t *testing.T) {
	folder := t.TempDir()
	one, two := filepath.Join(folder, "one"), filepath.Join(folder, "two")
	rg := client.Program(t, "rg", "ripgrep")
	all, compared := countsAll(t, rg), 0
	for i := range rounds.Of(300) {
		c := randomPeerCase(rand.New(rand.NewPCG(uint64(i), 2)))
		// These are unknown with --json, change no message, or change how much of a file is searched.
		c.flags = slices.DeleteFunc(c.flags, func(f string) bool {
			return slices.Contains([]string{"-c", "-l", "-q", "-o", "-H", "-h", "-b", "-n", "-m1", "-m2"}, f)
		})
		must(t, os.WriteFile(one, []byte(c.text), 0o600))
		must(t, os.WriteFile(two, []byte("ab foo\nb\n"), 0o600))
		args := append(slices.Clone(c.flags), "--json")
		for _, p := range c.patterns {
			args = append(args, "-e", p)
		}
		if args = append(args, one); c.several {
			args = append(args, two)
		}
		out, status := ownGrep(t, args)
		got := rgMessages(t, []byte(out))
		differs := func(d difference) bool { return d.program == "rg" && d.applies(&c) }
		empty := c.matches("*") || c.matches("?") || c.empty()
		// ripgrep lists no empty match at the end of a line without a line feed, some in the middle of a letter, and
		// others with -w.
		empty = empty && (c.has("-w") || !strings.HasSuffix(c.text, "\n") || strings.ContainsAny(c.text, "éÉ"))
		inverted := c.has("-v") && c.has("-C1", "-A2", "-B1") // ripgrep lists the matches in context, too
		shorter := c.has("-w") && c.matches("+")              // ripgrep 13 begins some matches too late
		if empty || shorter || inverted || !all && (status == command.Nothing || c.several) || slices.ContainsFunc(differences, differs) {
			continue
		}
		compared++
		cmd := exec.Command(rg, append([]string{"--no-config", "--sort=path"}, args...)...)
		pipe, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		theirs, err := io.ReadAll(pipe)
		must(t, err)
		_ = cmd.Wait() // exit status 1 says that nothing was found
		if want := rgMessages(t, theirs); !reflect.DeepEqual(got, want) {
			t.Fatalf("case %d: %q on %q\nthresh: %s\nrg:     %s", i, args, c.text, out, strings.TrimSpace(string(theirs)))
		}
	}
	if compared < rounds.Of(300)/6 {
		t.Errorf("only %d cases were compared", compared)
	}
}
