package run

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
	"github.com/thresh-dev/thresh/receipt"
)

// sparseLines makes a file of pieces of text with holes between them, and returns its bytes. Lines begin and end in
// pieces as they like; some pieces have no line feed, and some have zero bytes of their own.
func sparseLines(t *testing.T, r *rand.Rand, name string) []byte {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	parts := 1 + r.IntN(6)
	data := make([]byte, parts*holeBytes+r.IntN(2)*r.IntN(holeBytes))
	words := []string{"ab", "b", "foo", " ", " ", "\n", "\n", "ba\n", "foo bar", "x\n", "", "\n\n"}
	for part := range parts {
		if r.IntN(2) == 0 {
			continue
		}
		var text []byte
		list := words
		switch r.IntN(8) {
		case 0:
			list = words[:5] // one long line
		case 1:
			list = append(slices.Clone(words), "\x00", "a\x00b")
		}
		n := 1 + r.IntN(1+r.IntN(holeBytes))
		for len(text) < n {
			text = append(text, list[r.IntN(len(list))]...)
		}
		from := part * holeBytes
		if r.IntN(2) == 0 {
			from += holeBytes - n // a hole in the part comes first
		}
		copy(data[from:from+n], text)
		if _, err := f.WriteAt(data[from:from+n], int64(from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(f.Truncate(int64(len(data))), f.Close()); err != nil {
		t.Fatal(err)
	}
	return data
}

// sparsePatterns are lists of patterns: whether they match in a line may, or may not, depend on zero bytes in it, and on
// how many.
var sparsePatterns = []question.Lines{
	{Patterns: []string{"foo"}, Fixed: true}, {Patterns: []string{"foo bar", "ab"}, Fixed: true}, {Patterns: []string{"FOO"}, IgnoreCase: true},
	{Patterns: []string{"foo"}, Word: true}, {Patterns: []string{"foo"}, Whole: true}, {Patterns: []string{"b"}, Word: true},
	{Patterns: []string{""}, Word: true}, {Patterns: []string{"", "foo"}}, {Patterns: []string{"a.*b"}}, {Patterns: []string{"foo.{3}b", "a[^b]+x"}},
	{Patterns: []string{"(..)*x"}, Whole: true}, {Patterns: []string{"(.{3})+"}, Whole: true}, {Patterns: []string{"[a-z ]+x$"}},
	{Patterns: []string{`^\x00*$`}}, {Patterns: []string{`\x00{5}foo`}}, {Patterns: []string{`\x00{700}`}}, {Patterns: []string{`b\x00`, "^$"}},
	{Patterns: []string{"b\x00"}, Fixed: true}, {Patterns: []string{`\bfoo\b.*\bbar`}}, {Patterns: []string{`^.{2,}foo`, `x?`}},
	{Patterns: []string{`a(b|.)*x`}}, {Patterns: []string{`a(bb|.x)*x`}},
}

// TestGrepSparse searches files with holes, and the same bytes in memory. What is printed and reported is the same, and
// holes are not read if the patterns allow it.
func TestGrepSparse(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sparse")
	elapsed := regexp.MustCompile(`"elapsed":\{[^}]*\}|"bytes_searched":[0-9]*`) // those depend on blocks
	skipped := map[bool]int{}
	for _, size := range []int{0, 7, 50, 3000} {
		if size > 0 {
			threshold.Shrink(t, size)
		}
		for seed := range casesOf(80) {
			r := rand.New(rand.NewPCG(uint64(seed), 11))
			data := sparseLines(t, r, name)
			p := sparsePatterns[r.IntN(len(sparsePatterns))]
			q, err := grep.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			modes := []grep.Mode{grep.Print, grep.Print, grep.Print, grep.Count, grep.Any, grep.Each}
			spec := grep.Options{Mode: modes[r.IntN(len(modes))], Invert: r.IntN(4) == 0, Max: -1, Text: r.IntN(2) == 0,
				Format: grep.Format{Numbers: r.IntN(2) == 0, Offsets: r.IntN(2) == 0, Only: r.IntN(4) == 0}}
			if r.IntN(2) == 0 {
				spec.Before, spec.After = r.IntN(4), r.IntN(4)
			}
			if r.IntN(4) == 0 {
				spec.Max = r.Int64N(5)
			}
			if r.IntN(4) == 0 {
				spec.Mode, spec.JSON, spec.Name = grep.Print, true, "f"
			}
			if spec.Mode == grep.Each {
				spec.Invert = false
			}
			search := func(in *Input, o Options) (string, answer.GrepReport) {
				defer in.Close()
				var out bytes.Buffer
				report, err := Grep(t.Context(), in, q, &out, spec, o)
				if err != nil {
					t.Fatal(err)
				}
				return elapsed.ReplaceAllString(out.String(), ""), report
			}
			o := Options{Run: options.Run{Workers: r.IntN(4), ChunkBytes: []int{0, 4096, 65536}[r.IntN(3)], Receipt: true, Engine: []options.Engine{plan.Auto, plan.Auto,
				plan.Pread, plan.Mmap}[r.IntN(4)]}}
			if r.IntN(4) == 0 {
				o.Offset = r.Int64N(int64(len(data)))
			}
			want, wanted := search(FromBytes(name, data), Options{Offset: o.Offset})
			got, report := search(open(t, name), o)
			skips := report.Receipt.Skipped > 0
			skipped[skips]++
			report.Receipt, wanted.Receipt = receipt.Receipt{}, receipt.Receipt{}
			if spec.Mode == grep.Any || spec.Max >= 0 || wanted.Binary >= 0 { // ended early
				report.Bytes, wanted.Bytes = 0, 0
			}
			if got != want || fmt.Sprint(report) != fmt.Sprint(wanted) {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Fatalf("size %d, seed %d: %+v\n%+v\n%+v, holes skipped: %v\ngot  %+v\nwant %+v\n%d bytes, want %d, differ at %d:\n%.60q\n%.60q",
					size, seed, p, spec, o, skips, report, wanted, len(got), len(want), at, got[at:], want[at:])
			}
			if skips && !q.SkipsHoles(spec.Mode) {
				t.Fatalf("holes were skipped for %+v", p)
			}
		}
	}
	if skipped[true] == 0 {
		t.Skip("this file system has no holes")
	}
	t.Logf("holes were skipped in %d of %d searches", skipped[true], skipped[true]+skipped[false])
}

// TestGrepFarBehindAHole searches a file of one tebibyte, nearly all of which is a hole, with text at both ends.
func TestGrepFarBehindAHole(t *testing.T) {
	const size, head, tail = 1 << 40, "foo 1\nfoo 2\nx", "y\nfoo 3\nfoo 4\n"
	name := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte(head), 0)
	if _, tailErr := f.WriteAt([]byte(tail), size-int64(len(tail))); err != nil || tailErr != nil || f.Close() != nil {
		t.Skip("no file of this size: ", err, tailErr)
	}
	if in := open(t, name); holes(t, in) < size/2 {
		t.Skip("this file system has no holes")
	}
	off := func(back int) string { return fmt.Sprint(size - back) }
	for _, c := range []struct {
		pattern string
		spec    grep.Options
		want    string
		lines   int64
		binary  int64
	}{
		{"foo [34]", grep.Options{Text: true, Format: grep.Format{Numbers: true, Offsets: true}},
			"4:" + off(12) + ":foo 3\n5:" + off(6) + ":foo 4\n", 2, -1},
		{"foo.*[234]", grep.Options{Text: true, Format: grep.Format{Numbers: true}}, "2:foo 2\n4:foo 3\n5:foo 4\n", 3, -1},
		{"foo", grep.Options{Format: grep.Format{Name: "f"}}, "f:foo 1\nf:foo 2\n", 3, 13},
		{"x.*y|[4]", grep.Options{Mode: grep.Count}, "", 2, -1},
		{"xy|x.y|x.{9}y", grep.Options{Mode: grep.Count}, "", 0, -1},
		{"foo 1", grep.Options{Mode: grep.Count, Invert: true}, "", 4, -1},
	} {
		c.spec.Max = -1
		q, err := grep.Compile(question.Lines{Patterns: []string{c.pattern}})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{}, {Run: options.Run{Workers: 3, Engine: plan.Pread}}, {Run: options.Run{Engine: plan.Mmap}}} {
			in := open(t, name)
			var out bytes.Buffer
			r, err := Grep(t.Context(), in, q, &out, c.spec, o)
			if err := errors.Join(err, in.Close()); err != nil {
				t.Fatal(err)
			}
			got, _, _ := bytes.Cut(out.Bytes(), []byte("f: binary"))
			if string(got) != c.want || r.Lines != c.lines || r.Binary != c.binary || !r.Complete {
				t.Errorf("%s %+v: %q, %d lines, binary at %d, want %q, %d, %d", c.pattern, c.spec, got, r.Lines, r.Binary,
					c.want, c.lines, c.binary)
			}
		}
	}
}

// TestGrepPrintsHoles prints lines with a hole, which are selected or context, as they are.
func TestGrepPrintsHoles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sparse")
	data := make([]byte, 3*holeBytes)
	copy(data, "foo\nx")
	copy(data[2*holeBytes:], "y\nfoo\n\n")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(data[:5], 0)
	_, err2 := f.WriteAt(data[2*holeBytes:2*holeBytes+7], 2*holeBytes)
	if err := errors.Join(err, err2, f.Truncate(int64(len(data))), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pattern string
		spec    grep.Options
	}{
		{"foo", grep.Options{After: 1}}, {"foo", grep.Options{Before: 1}}, {"x", grep.Options{}}, {"foo", grep.Options{Invert: true}},
		{"x.*", grep.Options{Format: grep.Format{Only: true}}}, {"x", grep.Options{Format: grep.Format{JSON: true}}},
	} {
		c.spec.Max, c.spec.Text = -1, true
		q, err := grep.Compile(question.Lines{Patterns: []string{c.pattern}})
		if err != nil {
			t.Fatal(err)
		}
		var outs [2]bytes.Buffer
		for i, in := range []*Input{open(t, name), FromBytes(name, data)} {
			if _, err := Grep(t.Context(), in, q, &outs[i], c.spec, Options{Run: options.Run{Receipt: true}}); err != nil {
				t.Fatal(err)
			}
			in.Close()
		}
		got, _, _ := bytes.Cut(outs[0].Bytes(), []byte(`"elapsed"`))
		want, _, _ := bytes.Cut(outs[1].Bytes(), []byte(`"elapsed"`))
		if !bytes.Equal(got, want) || len(got) < holeBytes {
			t.Errorf("%s %+v: %d bytes, want %d", c.pattern, c.spec, len(got), len(want))
		}
	}
}
