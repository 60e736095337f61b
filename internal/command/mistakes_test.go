package command

import "testing"

// TestNearest suggests what differs little, and nothing else.
func TestNearest(t *testing.T) {
	names := []string{"lines", "words", "length", "nonzero", "ignore-case", "all"}
	for typed, want := range map[string]string{
		"linse": "lines", "line": "lines", "wrods": "words", "leng": "length", "nonzer": "nonzero", "LINES": "lines", "ignorecase": "ignore-case",
		"xyz": "", "": "", "a": "", "ell": "all", "columns": "",
	} {
		if got := Nearest(typed, names); got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}
