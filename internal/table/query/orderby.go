package query

import (
	"bytes"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/order"
)

// OrderItem is one of the values that an answer is ordered by.
type OrderItem struct {
	order.Direction
	Text    string // what is ordered by, as written
	place   place  // of the text among the items
	turned  bool   // the direction is written
	ByValue bool   // keys are ordered by what they look like, as records are, and not byte by byte
	Column  int    // of records, or of the answer; byKey is all keys
}

// String returns the item as it is written.
func (by *OrderItem) String() string {
	text := by.Text
	if by.Descending {
		text += " desc"
	}
	if by.NullsFirst {
		text += " nulls first"
	}
	return text
}

// parseOrderBy parses what an answer is ordered by: items with commas between them, each perhaps followed by asc or
// desc, and then by nulls first or nulls last.
func parseOrderBy(text string) (items []OrderItem, err error) {
	all, inner, end := argumentsAt("("+text+")", 0)
	if inner.to > 0 || end != len("()")+len(text) {
		return nil, wrong(text, 0, "it must be columns with commas between them")
	}
	for _, at := range all {
		at.from, at.to = at.from-1, at.to-1
		item := parseItem(text[at.from:at.to])
		item.place.from = at.from + spacesAt(text, at.from)
		item.place.to = item.place.from + len(item.Text)
		if item.Text == "" {
			return nil, wrong(text, at.from, "a column is missing here")
		}
		items = append(items, item)
	}
	return items, nil
}

func parseItem(text string) (by OrderItem) {
	by.Text = strings.TrimSpace(text)
	for _, end := range []string{"first", "last"} {
		if before, ok := cutWord(by.Text, end); ok {
			if before, ok = cutWord(before, "nulls"); ok {
				by.Text, by.NullsFirst = before, end == "first"
			}
		}
	}
	for _, end := range []string{"asc", "desc"} {
		if before, ok := cutWord(by.Text, end); ok && !by.turned {
			by.Text, by.Descending, by.turned = before, end == "desc", true
		}
	}
	return by
}

// cutWord cuts a word off the end of a text, in letters of any case.
func cutWord(text, word string) (before string, ok bool) {
	n := len(text) - len(word)
	if n <= 0 || !strings.EqualFold(text[n:], word) || strings.IndexByte(" \t\n", text[n-1]) < 0 {
		return text, false
	}
	return strings.TrimSpace(text[:n]), true
}

// After reports whether a text comes after another one of the same kind.
func (by *OrderItem) After(field, bound []byte) bool {
	return bytes.Compare(field, bound)*int(by.Turn()) > 0
}

// Turn is -1 for values that descend.
func (by *OrderItem) Turn() int64 {
	if by.Descending {
		return -1
	}
	return 1
}
