package run

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// TestGrepAllMatrix searches generated files of all kinds with generated flags, all at once and one by one. What is
// printed and reported is the same.
func TestGrepAllMatrix(t *testing.T) {
	blocks := regexp.MustCompile(`"elapsed":\{[^}]*\}|"bytes_searched":[0-9]*`) // may differ
	folder := t.TempDir()
	for _, size := range []int{0, 5, 400} {
		if size > 0 {
			threshold.Shrink(t, size)
		}
		for seed := range rounds.Of(40) {
			r := rand.New(rand.NewPCG(uint64(seed), 13))
			names := grepFiles(t, r, folder)
			p := sparsePatterns[r.IntN(len(sparsePatterns))]
			q, err := grep.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			spec := grep.Options{Mode: grep.Mode(r.IntN(4)), Invert: r.IntN(4) == 0, Max: -1, Text: r.IntN(2) == 0,
				Format: grep.Format{Name: "-", Numbers: r.IntN(2) == 0, Offsets: r.IntN(2) == 0, Only: r.IntN(4) == 0,
					Null: r.IntN(4) == 0}}
			switch r.IntN(4) {
			case 0:
				spec.Mode, spec.JSON = grep.Print, true
			case 1:
				spec.Mode, spec.Before, spec.After = grep.Print, r.IntN(3), r.IntN(3)
			}
			if r.IntN(4) == 0 {
				spec.Max = r.Int64N(4)
			}
			if spec.Mode == grep.Each {
				spec.Invert = false
			}
			var want, got bytes.Buffer
			var wanted, reports []string
			for _, name := range names {
				var out bytes.Buffer
				one := spec
				one.Name = PrintedName(name)
				in := open(t, name)
				report, err := Grep(t.Context(), in, q, &out, one, Options{})
				if err := errors.Join(err, in.Close()); err != nil {
					t.Fatal(err)
				}
				if spec.Before+spec.After > 0 && want.Len() > 0 && out.Len() > 0 && !spec.JSON {
					want.WriteString("--\n")
				}
				want.Write(out.Bytes())
				wanted = append(wanted, fmt.Sprint(name, foundBy(report)))
			}
			_, err = GrepAll(t.Context(), eachName(names), q, &got, spec, Options{Run: options.Run{Workers: r.IntN(5)}}, Callbacks{},
				func(name string, report answer.GrepReport, err error) error {
					reports = append(reports, fmt.Sprint(name, foundBy(report)))
					return err
				})
			if a, b := blocks.ReplaceAll(got.Bytes(), nil), blocks.ReplaceAll(want.Bytes(), nil); err != nil || !bytes.Equal(a, b) ||
				fmt.Sprint(reports) != fmt.Sprint(wanted) {
				t.Fatalf("size %d, seed %d: %v, %+v\n%+v\ngot  %.900q\n%v\nwant %.900q\n%v", size, seed, err, p, spec, a, reports, b, wanted)
			}
		}
	}
}

// grepFiles makes files: empty ones, such without a last line feed, with zero bytes, and compressed ones.
func grepFiles(t *testing.T, r *rand.Rand, folder string) (names []string) {
	t.Helper()
	words := []string{"ab", "b", "foo", " ", "\n", "ba\n", "foo bar\n", "x\n", "\n\n", "\xff", "é"}
	for i := range 1 + r.IntN(40) {
		var text []byte
		for range r.IntN(1 + r.IntN(200)) {
			text = append(text, words[r.IntN(len(words))]...)
		}
		if r.IntN(5) == 0 {
			text = append(text, "a\x00b\nfoo\n"...)
		}
		name := filepath.Join(folder, fmt.Sprint(i))
		if r.IntN(6) == 0 {
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			_, err := w.Write(text)
			if err := errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
			text, name = packed.Bytes(), name+".gz"
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// foundBy returns the figures of a report that do not depend on how it was found.
func foundBy(r answer.GrepReport) []any {
	return []any{r.Lines, r.Matches, r.Written, r.Counts, r.Binary}
}
