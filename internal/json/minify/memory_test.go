package minify

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/gen"
)

func prettyJSON(t *testing.T, bytesMax int64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gen.JSON(&b, bytesMax, 1); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compact(t *testing.T, src []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, src); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestMinifyAppends(t *testing.T) {
	src := prettyJSON(t, 100_000)
	want := compact(t, src)
	if got := Append([]byte("before "), src); !bytes.Equal(got, append([]byte("before "), want...)) {
		t.Errorf("got %.100q", got)
	}
	if got := Append(nil, nil); len(got) != 0 {
		t.Errorf("of nothing: %q", got)
	}
	if got := Append(src[:0], src); !bytes.Equal(got, want) {
		t.Errorf("in place: got %.100q", got)
	}
}

func TestMinifyDoesNotAllocate(t *testing.T) {
	src := prettyJSON(t, 10_007)
	dst := make([]byte, 0, len(src))
	if n := testing.AllocsPerRun(10, func() { dst = Append(dst[:0], src) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Pieces begin behind line feeds, and where none is near; outside of strings, and inside of
// strings where a wrong guess must be seen.
func TestMinifyParallel(t *testing.T) {
	pretty := prettyJSON(t, 3_000_000)
	minified := compact(t, pretty)
	texts := map[string][]byte{
		"pretty":            pretty,
		"no line feeds":     bytes.Repeat(append(minified, ' '), 2),
		"line feeds inside": []byte(`"` + strings.Repeat("a \n", pieceBytes) + `" ` + string(pretty)),
		"one long string":   []byte(`"` + strings.Repeat(`b \\ \" `, pieceBytes) + `" `),
		"backslashes":       []byte(`"` + strings.Repeat(`\`, 3*pieceBytes) + `" c " d`),
		"white":             bytes.Repeat([]byte(" \n"), pieceBytes),
		"small":             pretty[:1000],
		"last piece longest": append(bytes.Repeat([]byte("x"), pieceBytes-nearBytes),
			append([]byte{'\n'}, bytes.Repeat([]byte("x"), 2*pieceBytes+nearBytes-2)...)...),
	}
	for name, src := range texts {
		want := Append(nil, src)
		for workers := range 5 {
			if got := AppendParallel([]byte("before "), src, workers); string(got[:7]) != "before " || !bytes.Equal(got[7:], want) {
				t.Errorf("%s by %d workers: %d bytes, want %d, or they differ", name, workers, len(got)-7, len(want))
			}
		}
	}
}
