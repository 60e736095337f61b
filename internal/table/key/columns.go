package key

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/spelling"
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
				"Dialect.Header takes names from the first record, Dialect.JSON those in lines of JSON", name, n)
		}
		return number(name, n)
	}
}

// Called resolves the columns of a table without a header as Numbered does, and by the names that SQL has for them:
// column0, column1 and so on.
func Called(n int) Resolve {
	numbered := Numbered(n)
	return func(name string, quoted bool) (int, error) {
		const letters = len(called)
		if len(name) > letters && strings.EqualFold(name[:letters], called) && isNumber(name[letters:]) {
			if c, err := strconv.Atoi(name[letters:]); err == nil && c < n {
				return c, nil
			}
			return 0, fmt.Errorf("column %q: the first record has %s, of which the first is %s", name,
				numeral.Count(n, "field"), CalledName(0))
		}
		return numbered(name, quoted)
	}
}

const called = "column"

// CalledName returns the name that SQL has for a column without one.
func CalledName(column int) string { return called + strconv.Itoa(column) }

// Asked accepts column numbers, and notes in named that a name was asked for, which it refuses.
func Asked(named *bool) Resolve {
	return func(name string, quoted bool) (int, error) {
		switch {
		case !quoted && isNumber(name):
			return 0, nil
		case quoted || !IsExpression(name):
			*named = true
		}
		return 0, fmt.Errorf("column %q has no number", name)
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
			return 0, fmt.Errorf("column %q: columns %d and %d both have this name; write $%[2]d or $%[3]d",
				name, at+1, at+1+again+1)
		}
		return at, nil
	}
}

// Folded resolves the names of the header as Columns does, and those that differ in case only, as SQL does.
func Folded(names []string) Resolve {
	exact := Columns(names)
	return func(name string, quoted bool) (int, error) {
		column, err := exact(name, quoted)
		if err == nil || !quoted && isNumber(name) || slices.Contains(names, name) {
			return column, err
		}
		var like []string
		for i, other := range names {
			if strings.EqualFold(other, name) {
				column, like = i, append(like, other)
			}
		}
		switch len(like) {
		case 0:
			return 0, err
		case 1:
			return column, nil
		}
		return 0, fmt.Errorf("column %q: %s differ from it in case only; write the one that is meant", name,
			strings.Join(like, " and "))
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
	}
	return 0, fmt.Errorf("column %s: the first record has %s", digits, numeral.Count(n, "field"))
}

// nearest suggests names that the user may have meant: similar ones, or otherwise those that there are, the first of
// them if they are many.
func nearest(name string, names []string) string {
	const letters = 80
	if near := spelling.Nearest(name, names); near != "" {
		return "; did you mean " + near + "?"
	}
	shown := strings.Join(names, ", ")
	for n := len(names); len(shown) > letters && n > 0; n-- {
		shown = fmt.Sprintf("%s and %d more", strings.Join(names[:n-1], ", "), len(names)-n+1)
	}
	return "; it has " + shown
}
