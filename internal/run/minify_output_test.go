package run

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/json/jsontext"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/options"
)

// lazyWriter takes some bytes, then less than it is given, and says err about that.
type lazyWriter struct {
	bytes.Buffer
	room, claims int // claims is added to the number that it returns
	err          error
}

func (w *lazyWriter) Write(p []byte) (int, error) {
	if len(p) <= w.room {
		w.room -= len(p)
		return w.Buffer.Write(p)
	}
	n, _ := w.Buffer.Write(p[:w.room])
	w.room = 0
	return n + w.claims, w.err
}

// TestMinifyShortWrites: a writer that takes less than it is given is an error, with or without one of
// its own, and the report counts what was taken: nothing is left out silently.
func TestMinifyShortWrites(t *testing.T) {
	text := strings.Repeat(`{ "a" : [ 1, 2, 3 ] }`+"\n", 3000)
	want := linedPlain(text, false)
	in := write(t, []byte(text))
	full := errors.New("no room")
	for _, room := range []int{0, 1, 2, 100, 1000, len(want) - 1} {
		for _, err := range []error{nil, full} {
			for _, chunk := range []int{7, 1000, 0} {
				w := &lazyWriter{room: room, err: err}
				r, got := Minify(context.Background(), open(t, in), w, options.Minify{Validate: room%2 == 0},
					Options{Run: options.Run{ChunkBytes: chunk, Workers: 2}})
				cause := err
				if cause == nil {
					cause = io.ErrShortWrite
				}
				var e *failure.WriteError
				if !errors.Is(got, cause) || !errors.As(got, &e) || e.Off != int64(room) {
					t.Fatalf("room for %d, %v: got %v", room, err, got)
				}
				if r.Complete || r.Written != int64(room) || w.String() != want[:room] {
					t.Fatalf("room for %d: %d bytes written, and %d say the report: %+v", room, w.Len(), r.Written, r)
				}
			}
		}
	}
	w := &lazyWriter{claims: 1 << 40}
	if r, err := Minify(context.Background(), open(t, in), w, options.Minify{}, Options{}); err == nil || r.Complete {
		t.Errorf("a writer that says it took too much: %v, %+v", err, r)
	}
}

// TestMinifyIntoItself: the file that is read is no output, by whatever name and through whatever door,
// and nothing of it changes.
func TestMinifyIntoItself(t *testing.T) {
	name := write(t, []byte("[ 1, 2 ]"))
	link, hard := filepath.Join(t.TempDir(), "link"), name+".hard"
	if err := errors.Join(os.Symlink(name, link), os.Link(name, hard)); err != nil {
		t.Skip(err) // a system without links
	}
	for _, to := range []string{name, link, hard} {
		for _, flags := range []int{os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND} {
			f, err := os.OpenFile(to, flags, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Minify(context.Background(), open(t, name), f, options.Minify{}, Options{}); !errors.Is(err, failure.ErrSameFile) {
				t.Errorf("to %s: %v", to, err)
			}
			f.Close()
		}
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "[ 1, 2 ]" {
		t.Errorf("it holds %q now, %v", b, err)
	}
}

// TestMinifyReplacesTheTail: of a longer file that was there the rest is the caller's, who is told where
// the text ends.
func TestMinifyReplacesTheTail(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(bytes.Repeat([]byte("x"), 1000), 0); err != nil {
		t.Fatal(err)
	}
	r, err := Minify(context.Background(), open(t, write(t, []byte("[ 1 ]"))), f, options.Minify{Validate: true}, Options{})
	if at, _ := f.Seek(0, io.SeekCurrent); err != nil || at != 3 || r.Written != 3 {
		t.Errorf("it stands at %d of %d bytes written, %v", at, r.Written, err)
	}
}

// TestMinifyBorders puts two values, a string, a number and an escape across the real borders of tiles
// and blocks.
func TestMinifyBorders(t *testing.T) {
	n := 0
	for _, border := range []int{4 << 10, 512 << 10} {
		for _, middle := range []string{"1 2", "1\n2", `"a""b"`, "1\"a\"", `"a\"b" 3`, "true\r\n\nfalse", "\"é\" 5"} {
			for shift := -len(middle) - 1; shift <= 1; shift++ {
				if n++; n%rounds.Every(1) != 0 {
					continue
				}
				text := strings.Repeat("[1, \"a b\"]\n", border/11+2)
				text = text[:border+shift-1-(border+shift-1)%11]
				text += strings.Repeat(" ", border+shift-len(text)) + middle + "\n{}\n"
				want := linedPlain(text, false)
				got, r, err := minifyTo(t, open(t, write(t, []byte(text))), shift%2 == 0,
					options.Minify{Validate: shift%3 != 0}, Options{Run: options.Run{Workers: 2}})
				if err != nil || got != want || r.Written != int64(len(want)) {
					t.Fatalf("%q at %d%+d: %d bytes, want %d, or others: %v", middle, border, shift, len(got), len(want), err)
				}
			}
		}
	}
}

// TestMinifyValidatesAlike: whatever the pieces, workers and engine, an input is right, or wrong at the
// same byte for the same reason, as if it were validated in one piece.
func TestMinifyValidatesAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	known := engines(t, write(t, []byte("[]")))
	for i := range casesOf(80) {
		text := []byte(strings.TrimSuffix(pretty(r, 1+r.IntN(40)), "\n"))
		for range r.IntN(3) {
			text[r.IntN(len(text))] = "{}[]:,\"\\ \n0-eE.t\x00\xff"[r.IntN(18)]
		}
		v := jsontext.New(0, jsontext.Several)
		want := v.Write(text)
		if want == nil {
			want = v.Close()
		}
		name := write(t, text)
		for k, chunk := range []int{1, 7, 64, 333, 1000, 0} {
			o := Options{Run: options.Run{ChunkBytes: chunk, Workers: 1 + (i+k)%3, Engine: options.Engine(known[(i+k)%len(known)])}}
			got, _, err := minifyTo(t, open(t, name), (i+k)%2 == 0, options.Minify{Validate: true}, o)
			var e *failure.JSONError
			if errors.As(err, &e) != (want != nil) || e != nil && e.Error() != name+" is "+want.Error() {
				t.Fatalf("%+v: got %v, want %v of %q", o, err, want, text)
			}
			if err == nil && got != linedPlain(string(text), false) {
				t.Fatalf("%+v: %q of %q", o, got, text)
			}
		}
	}
}
