package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// texts returns the lines of text in an SVG, which must be well-formed, and refer to nothing outside of it.
func texts(t *testing.T, svg []byte) (lines []string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	inside := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "text" {
				inside, lines = true, append(lines, "")
			}
			for _, a := range token.Attr {
				if a.Name.Local != "xmlns" && strings.Contains(a.Value, "//") || token.Name.Local == "script" {
					t.Errorf("<%s> refers to something outside: %s", token.Name.Local, a.Value)
				}
			}
		case xml.EndElement:
			inside = inside && token.Name.Local != "text"
		case xml.CharData:
			if inside {
				lines[len(lines)-1] += string(token)
			}
		}
	}
}

// TestDraw: all lines are there, folded, without what the terminal does not show.
func TestDraw(t *testing.T) {
	long := strings.Repeat("é", columns+3)
	receipt := "[██▓ ] 1.00 GiB in 0.1 s, 10 GB/s"
	takes := []take{{"echo '<&>'", "\x1b[1m<&>\x1b[0m\r\n", 0.5},
		{"two", "half\r\x1b[Kwhole\r\n" + long + "\r\n" + strings.Repeat("é", columns) + " words\r\n" + receipt + "\r\n", 1}}
	var b bytes.Buffer
	if err := draw(&b, takes); err != nil {
		t.Fatal(err)
	}
	want := []string{"$ echo '<&>'", "<&>", "$ two", "whole", long[:2*columns], "ééé", long[:2*columns], "words", receipt}
	if got := texts(t, b.Bytes()); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := strings.Count(b.String(), `class="s"`); n != 1 {
		t.Errorf("%d receipts are soft, want 1", n)
	}
}

// TestRecording: the recording in the documentation shows the commands that this program records.
func TestRecording(t *testing.T) {
	svg, err := os.ReadFile("../../docs/recording.svg")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, line := range texts(t, svg) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			shown = append(shown, command)
		}
	}
	if !slices.Equal(shown, commands) {
		t.Errorf("docs/recording.svg shows %q, and not %q: make recording", shown, commands)
	}
	if len(svg) > 64<<10 {
		t.Errorf("docs/recording.svg has %d bytes", len(svg))
	}
}
