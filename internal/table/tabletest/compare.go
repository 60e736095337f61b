package tabletest

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// splits are piece sizes that put boundaries where mistakes are likely.
var splits = []int{1, 2, 3, 5, 7, 16, 31, 63, 64, 65, 127, 129, 1000, 4096, 32767, 32 << 10, 32769, 100_003, 1 << 20}

// piecesMax limits the number of pieces of a file, so that large files do not take long.
const piecesMax = 4096

// Splits returns the piece sizes to test with a file of n bytes, ascending. There is at least one;
// the last one makes the file a single piece.
func Splits(n int) (sizes []int) {
	for _, size := range splits {
		if size < n && n/size <= piecesMax {
			sizes = append(sizes, size)
		}
	}
	return append(sizes, max(n, 1))
}

// Compare fails the test if got differs from want. It reports the first difference of each kind.
func Compare(t testing.TB, name string, got, want Result) {
	t.Helper()
	for _, d := range differences(got, want) {
		t.Errorf("%s: %s", name, d)
	}
}

func differences(got, want Result) (all []string) {
	tell := func(what string, got, want any) {
		if got, want := fmt.Sprint(got), fmt.Sprint(want); got != want {
			all = append(all, fmt.Sprintf("%s: got %s, want %s", what, got, want))
		}
	}
	tell("records", got.Records, want.Records)
	tell("empty lines", got.Empty, want.Empty)
	tell("skipped records, bytes and lines", [...]int64{got.Skipped, got.SkippedBytes, got.SkippedLines},
		[...]int64{want.Skipped, want.SkippedBytes, want.SkippedLines})
	if !maps.Equal(got.Bad, want.Bad) { // nil and empty are equal
		tell("bad numbers by column", got.Bad, want.Bad)
	}
	switch {
	case got.First == nil || want.First == nil:
		tell("first malformed record", told(got.First), told(want.First))
	default:
		tell("first malformed record", *got.First, *want.First)
	}
	tell("answers", len(got.Answers), len(want.Answers))
	for i := range min(len(got.Answers), len(want.Answers)) {
		if d := rowsDiffer(got.Answers[i], want.Answers[i]); d != "" {
			all = append(all, fmt.Sprintf("answer %d: %s", i, d))
		}
	}
	return all
}

func told(m *Malformed) string {
	if m == nil {
		return "none"
	}
	return m.Error()
}

// rowsDiffer describes the first row in which two answers differ, or returns "".
func rowsDiffer(got, want [][]string) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("%d rows, want %d; the first missing is %s", len(got), len(want), short(want[i]))
		case i >= len(want):
			return fmt.Sprintf("%d rows, want %d; the first too many is %s", len(got), len(want), short(got[i]))
		case !slices.Equal(got[i], want[i]):
			return fmt.Sprintf("row %d of %d: got %s, want %s", i, len(want), short(got[i]), short(want[i]))
		}
	}
	return ""
}

// short formats a row. It shortens long cells to their beginning and length.
func short(row []string) string {
	const shownBytes = 60
	var cells []string
	for _, c := range row {
		if len(c) > shownBytes {
			c = fmt.Sprintf("%q... (%d bytes)", c[:shownBytes], len(c))
		} else {
			c = fmt.Sprintf("%q", c)
		}
		cells = append(cells, c)
	}
	if len(cells) > 20 {
		cells = append(cells[:20], fmt.Sprintf("... (%d cells)", len(row)))
	}
	return fmt.Sprint(cells)
}
