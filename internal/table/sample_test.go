package table

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestSample: a sample has the size that was asked for, is in file order and the same however the files are
// cut, and every record has the same chance.
func TestSample(t *testing.T) {
	var names []string
	var all []string
	for i, lines := range []int{300, 0, 120} {
		text := "n,kind\n"
		for n := range lines {
			record := fmt.Sprintf("%d.%d,%d", i, n, n%3)
			all = append(all, record)
			text += record + "\n"
		}
		name := filepath.Join(t.TempDir(), strconv.Itoa(i))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	matching := slices.DeleteFunc(slices.Clone(all), func(r string) bool { return strings.HasSuffix(r, ",1") })
	chosen := map[string]int{}
	const seeds, chosenOf = 60, 40
	for seed := range uint64(seeds) {
		for i, size := range []int64{chosenOf, 1, 280, 5000}[:1+3*((seeds-seed)/seeds)] {
			spec := query.Spec{Dialect: query.Dialect{Delim: ',', Header: true}, Where: "kind != 1",
				Questions: []query.Question{{Kind: query.Rows}, {Kind: query.Sample, Limit: size, Seed: seed}}}
			var first [][]string
			for _, v := range []way{{piece: 1 << 20, workers: 1, mem: 1 << 20}, {piece: 100, workers: 3, mem: 1 << 20, stream: true},
				{piece: 7, ahead: 3, workers: 2}} {
				if seed > 2 && v.piece == 7 {
					continue
				}
				_, out, err := answerTable(t, names, spec, v)
				if err != nil {
					t.Fatal(err)
				}
				rows := out.answers[1][1:]
				if first == nil {
					first = rows
				}
				if !reflect.DeepEqual(rows, first) {
					t.Fatalf("seed %d, %d of them, %+v: %q, want %q", seed, size, v, rows, first)
				}
			}
			if want := min(int(size), len(matching)); len(first) != want {
				t.Fatalf("seed %d: %d records, want %d", seed, len(first), want)
			}
			at := -1
			for _, row := range first {
				next := slices.Index(matching, strings.Join(row, ","))
				if next <= at {
					t.Fatalf("seed %d: %q is not a record, or out of order", seed, row)
				}
				at = next
				if i == 0 {
					chosen[matching[at]]++
				}
			}
		}
	}
	// Each record is expected in a seventh of the samples, within 5 standard deviations.
	mean := float64(seeds*chosenOf) / float64(len(matching))
	for _, record := range matching {
		if n := float64(chosen[record]); n < 1 || n > mean+5*3 {
			t.Errorf("record %s is in %v of %d samples of %d records, %.1f are expected", record, n, seeds, chosenOf, mean)
		}
	}
}

// TestKeptRecordsFit: records that are kept in memory, and do not fit, are an error that says so.
func TestKeptRecordsFit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(strings.Repeat(strings.Repeat("x", 100)+",1\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, q := range []query.Question{{Kind: query.Sample, Limit: 900},
		{Kind: query.Nth, Records: []query.Span{{First: 50, Last: 999}}, Columns: []string{"1"}}} {
		for mem, want := range map[int64]string{50_000: "in 50000 bytes, the part of Run.MemoryBytes for them", 1 << 20: ""} {
			_, _, err := answerTable(t, []string{name}, query.Spec{Dialect: query.Dialect{Delim: ','}, Questions: []query.Question{q}},
				way{piece: 1000, workers: 2, mem: mem})
			if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(got, want) {
				t.Errorf("%v in %d bytes: %v", q, mem, err)
			}
		}
	}
}

// TestNthRanges: a range is the same as its records.
func TestNthRanges(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	text := ""
	for i := range 50 {
		text += fmt.Sprintf("%d,\"r%d\"\n", i, i)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	threshold.Shrink(t, 7)
	spec := query.Spec{Dialect: query.Dialect{Delim: ',', Quote: '"'}, Questions: []query.Question{
		{Kind: query.Nth, Records: []query.Span{{First: 45, Last: 60}, {First: 3, Last: 3}, {First: 10, Last: 13}, {First: 12, Last: 12},
			{First: 70, Last: 70}}, Columns: []string{"2"}}}}
	for _, v := range []way{{piece: 1 << 20, workers: 1}, {piece: 11, workers: 3, stream: true}} {
		_, out, err := answerTable(t, []string{name}, spec, v)
		if err != nil {
			t.Fatal(err)
		}
		want := "[[record 2] [45 r45] [46 r46] [47 r47] [48 r48] [49 r49] [3 r3] [10 r10] [11 r11] [12 r12] [13 r13] [12 r12]]"
		if got := fmt.Sprint(out.answers[0]); got != want {
			t.Errorf("%+v: %s, want %s", v, got, want)
		}
	}
}
