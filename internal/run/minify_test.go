package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
)

// minifiedPlain is the plain twin, a byte at a time.
func minifiedPlain(text string) string {
	var b strings.Builder
	inString, escaped := false, false
	for _, c := range []byte(text) {
		if inString || !strings.ContainsRune(" \t\r\n", rune(c)) {
			b.WriteByte(c)
		}
		inString, escaped = inString != (c == '"' && !escaped), c == '\\' && !escaped
	}
	return b.String()
}

// linedPlain is the plain twin, written otherwise than the program: it cuts a text into words, and
// puts a line feed between two of which the first may end and the second begin a value.
func linedPlain(text string, ndjson bool) string {
	lead := 0
	for lead < len(text) && strings.IndexByte(" \t\r\n\xef\xbb\xbf", text[lead]) >= 0 {
		lead++
	}
	rest := strings.TrimRight(text[lead:], " \t\r\n")
	var out strings.Builder
	out.WriteString(minifiedPlain(text[:lead]))
	var last string
	several := false
	words, open := cutWords(text[lead:])
	for _, word := range words {
		if last != "" && !strings.Contains("{[:,", last) && !strings.Contains("}]:,", word) {
			out.WriteByte('\n')
			several = true
		}
		out.WriteString(word)
		last = word
	}
	if !open && out.Len() > 0 && strings.Contains(text[min(len(text), lead+len(rest)):], "\n") && (several || ndjson) {
		out.WriteByte('\n')
	}
	return out.String()
}

// cutWords returns the words of a text: strings, brackets, colons and commas, and runs of other bytes that
// are no white space; and whether the last one is a string that does not end.
func cutWords(text string) (words []string, open bool) {
	var word []byte
	inString, escaped := false, false
	end := func() {
		if len(word) > 0 {
			words, word = append(words, string(word)), nil
		}
	}
	for _, c := range []byte(text) {
		quote := c == '"' && !escaped
		escaped = c == '\\' && !escaped
		switch {
		case inString:
			word = append(word, c)
			if quote {
				inString = false
				end()
			}
		case quote:
			end()
			word, inString = []byte{c}, true
		case strings.IndexByte(" \t\r\n", c) >= 0:
			end()
		case strings.IndexByte("{}[]:,", c) >= 0:
			end()
			words = append(words, string(c))
		default:
			word = append(word, c)
		}
	}
	end()
	return words, inString
}

// texts are JSON, nearly JSON, and anything made of the bytes that mean something to it.
func texts() []string {
	all := []string{"", " \n\t\r", "{}{}", "1 2", "1\n2\n", "{}\n\n{}\n", "[1, 2]\n[3]\r\n", `"a b" "c" `, `"a""b"1"c"[]2{}`,
		"\xef\xbb\xbf{ }\n1", "\xef\xbb\xbf", "1,2 , 3", "]]{}]", `{"a\"b": "x\\" , "c" : [ 1 , 2 ] }`, `\" "a b"`, `"open `,
		strings.Repeat(" ", 3000) + "1", `"` + strings.Repeat(`\`, 301) + `" x y"`, "\"\x01 \" [ 1 ] 2 3"}
	r := rand.New(rand.NewPCG(1, 2))
	for range casesOf(60) {
		const alphabet = "{}[]\"\" \n\t\r,:\\\\a1\xef\xbb"
		b := make([]byte, r.IntN(200))
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		all = append(all, string(b))
	}
	for range casesOf(30) {
		all = append(all, pretty(r, 1+r.IntN(5)))
	}
	return all
}

// pretty returns some JSON values with white space between them and in them.
func pretty(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		var v any = map[string]any{"a \"b\"": []any{1, "x\\", nil, strings.Repeat("y z", r.IntN(40))}, "d": r.Float64()}
		switch r.IntN(4) {
		case 0:
			v = r.IntN(1000)
		case 1:
			v = "a string \\ with { [ \" in it"
		}
		text, err := json.MarshalIndent(v, "", strings.Repeat(" ", r.IntN(9)))
		if err != nil {
			panic(err)
		}
		b.Write(text)
		b.WriteString([]string{"\n", " ", "\r\n", "\n\n"}[r.IntN(4)])
	}
	return b.String()
}

// minifyTo runs Minify to a file, or to another writer.
func minifyTo(t *testing.T, in *Input, toFile bool, spec options.Minify, o Options) (string, answer.MinifyReport, error) {
	t.Helper()
	defer in.Close()
	if !toFile {
		var b bytes.Buffer
		r, err := Minify(context.Background(), in, &b, spec, o)
		return b.String(), r, err
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	io.WriteString(f, "before")
	r, err := Minify(context.Background(), in, f, spec, o)
	io.WriteString(f, "behind")
	b, readErr := os.ReadFile(f.Name())
	if readErr != nil {
		t.Fatal(readErr)
	}
	text, ok := strings.CutPrefix(string(b), "before")
	text, ok2 := strings.CutSuffix(text, "behind")
	if !ok || !ok2 {
		t.Errorf("what was around the text in the file: %q", b)
	}
	return text, r, err
}

// TestMinifyDependsOnNothing minifies with engines, sizes of pieces, numbers of workers and
// kinds of output in turn, each byte at a piece's border at least once.
func TestMinifyDependsOnNothing(t *testing.T) {
	all := texts()
	known := engines(t, write(t, []byte("[]")))
	for i, text := range all {
		name := write(t, []byte(text))
		for k, chunk := range []int{1, 0, 7, 64, 100} {
			for _, many := range []bool{false, true} {
				o := Options{Run: options.Run{ChunkBytes: chunk, Workers: 1 + (i+k)%3, Engine: options.Engine(known[(i+k)%len(known)])}}
				got, r, err := minifyTo(t, open(t, name), (i+k)%2 == 0, options.Minify{NDJSON: many}, o)
				want := linedPlain(text, many)
				if err != nil || got != want || !r.Complete || r.Written != int64(len(want)) || r.Bytes != int64(len(text)) {
					t.Fatalf("%+v ndjson %v of %q\n got %q\nwant %q: %+v, %v", o, many, text, got, want, r, err)
				}
			}
		}
	}
}

// TestMinifyAsOthers compares valid texts with encoding/json.
func TestMinifyAsOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		text := pretty(r, 1)
		var want bytes.Buffer
		if err := json.Compact(&want, []byte(text)); err != nil {
			t.Fatal(err)
		}
		for _, many := range []bool{false, true} {
			spec := options.Minify{Validate: true, NDJSON: many}
			got, _, err := minifyTo(t, open(t, write(t, []byte(text))), true, spec, Options{Run: options.Run{ChunkBytes: 1 + r.IntN(50), Workers: 2}})
			if err != nil || strings.TrimSuffix(got, "\n") != want.String() {
				t.Fatalf("%q: %q, want %q, %v", text, got, want.String(), err)
			}
		}
	}
}

// TestMinifyRefuses: what is not JSON is named with the first byte that cannot be, whatever
// the pieces, and nothing of the piece that it is in is written to a pipe.
func TestMinifyRefuses(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, "[1, 2": 5, "{\"a\" 1}": 5, "[1]\n[2]]": 7, "[\"\xff\"]": 2, "[1]\n\n x": 6, strings.Repeat("[", 20000): 10000} {
		for _, chunk := range []int{1, 3, 0} {
			if chunk == 1 && len(text) > 1000 {
				continue
			}
			o := Options{Run: options.Run{ChunkBytes: chunk, Workers: 2}}
			got, r, err := minifyTo(t, open(t, write(t, []byte(text))), false, options.Minify{Validate: true}, o)
			var e *failure.JSONError
			if !errors.As(err, &e) || e.Off != want || r.Complete {
				t.Errorf("%.40q: %v, want offset %d", text, err, want)
			}
			if behind := linedPlain(text[:want], false); !strings.HasPrefix(behind, got) {
				t.Errorf("%.40q: %.40q was written", text, got)
			}
		}
	}
	if _, _, err := minifyTo(t, open(t, write(t, []byte("[]"))), false, options.Minify{}, Options{Offset: 1}); !errors.Is(err, ErrPart) {
		t.Errorf("a part: %v", err)
	}
}
