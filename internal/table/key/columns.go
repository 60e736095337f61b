package key

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Resolve returns the index, from 0, of the column called name. An unquoted name of digits
// only is a column number, from 1.
type Resolve func(name string, quoted bool) (column int, err error)

// Numbered resolves column numbers in a table without a header, whose first record has n
// fields.
func Numbered(n int) Resolve {
	return func(name string, quoted bool) (int, error) {
		if quoted || !isNumber(name) {
			return 0, fmt.Errorf("column %q: without a header columns have numbers, from 1 to %d; "+
				"--header takes names from the first record, -d json those in lines of JSON", name, n)
		}
		return number(name, n)
	}
}

// Columns resolves the names of the header, and column numbers.
func Columns(names []string) Resolve {
	return func(name string, quoted bool) (int, error) {
		if !quoted && isNumber(name) {
			return number(name, len(names))
		}
		at := slices.Index(names, name)
		if at < 0 {
			return 0, fmt.Errorf("column %q: no such name in the header%s", name, nearest(name, names))
		}
		if again := slices.Index(names[at+1:], name); again >= 0 {
			return 0, fmt.Errorf("column %q: columns %d and %d both have this name; use the number",
				name, at+1, at+1+again+1)
		}
		return at, nil
	}
}

func isNumber(name string) bool {
	return name != "" && strings.Trim(name, "0123456789") == ""
}

func number(digits string, n int) (int, error) {
	c, err := strconv.Atoi(digits)
	switch {
	case err == nil && 1 <= c && c <= n:
		return c - 1, nil
	case err == nil && c == 0:
		return 0, errors.New("column 0: columns are counted from 1")
	case n == 1:
		return 0, fmt.Errorf("column %s: the first record has 1 field", digits)
	}
	return 0, fmt.Errorf("column %s: the first record has %d fields", digits, n)
}

// nearest suggests names that the user may have meant: similar ones, or otherwise all names, if they are few.
func nearest(name string, names []string) string {
	const letters = 80
	if near := Nearest(name, names); near != "" {
		return "; did you mean " + near + "?"
	}
	if all := strings.Join(names, ", "); len(names) > 0 && len(all) <= letters {
		return "; it has " + all
	}
	return ""
}

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
		if d := distance(strings.ToLower(name), strings.ToLower(n)); 2*d < max(len(n), len(name)) {
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

// distance returns how many bytes must be inserted, removed, changed, or swapped with their
// neighbour to turn a into b (optimal string alignment).
func distance(a, b string) int {
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
