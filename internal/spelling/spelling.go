// Package spelling compares a mistyped name with those that may have been meant.
package spelling

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Nearest returns the names that are most similar to a name, in quotes, with "or" between them. It
// returns nothing if half of the letters or more differ from those of every name.
func Nearest(name string, names []string) string {
	const few, letters = 3, 40
	type guess struct {
		name     string
		distance int
	}
	var guesses []guess
	for _, n := range names {
		if len(n) > letters || len(name) > letters {
			continue
		}
		if d := Distance(strings.ToLower(name), strings.ToLower(n)); 2*d < max(len(n), len(name)) {
			guesses = append(guesses, guess{n, d})
		}
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(a.distance, b.distance) })
	var quoted []string
	for _, g := range guesses[:min(few, len(guesses))] {
		quoted = append(quoted, strconv.Quote(g.name))
	}
	return strings.Join(quoted, " or ")
}

// Distance returns how many bytes must be inserted, removed, changed, or swapped with their
// neighbour to turn a into b (optimal string alignment).
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
