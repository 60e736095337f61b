package tabletest

import (
	"cmp"
	"slices"
	"strings"
)

// compareNulls orders what is null, and calls compare if neither is.
func (s Sort) compareNulls(a, b bool, compare func() int) int {
	switch {
	case a && b:
		return 0
	case a != b && a != s.NullsFirst:
		return 1
	case a != b:
		return -1
	case s.Descending:
		return -compare()
	}
	return compare()
}

// compareGroups orders two groups by their keys or cells.
func (s Sort) compareGroups(ask Ask, keysA, keysB []string, a, b []cell) int {
	n := s.Cell - len(ask.Keys)
	switch {
	case s.Cell < 0:
		return slices.CompareFunc(keysA, keysB, s.compareTexts)
	case n < 0:
		return s.compareTexts(keysA[s.Cell], keysB[s.Cell])
	}
	return s.compareNulls(a[n].missing(), b[n].missing(), func() int { return a[n].compare(b[n]) })
}

// compareTexts orders keys.
func (s Sort) compareTexts(a, b string) int {
	return s.compareNulls(a == Null, b == Null, func() int { return strings.Compare(a, b) })
}

// sorted returns the records in their order.
func (ask Ask) sorted(records [][]string) [][]string {
	records = slices.Clone(records)
	slices.SortStableFunc(records, func(a, b []string) int {
		for _, s := range ask.Sort {
			if c := s.compareValues(s.Of.Of(a), s.Of.Of(b)); c != 0 {
				return c
			}
		}
		return 0
	})
	return records
}

// compareValues orders values of records: numbers, then times, then texts, in any direction. Numbers are ordered by
// value, times by the moment and then by their text, texts byte by byte.
func (s Sort) compareValues(a, b string) int {
	rank := func(text string) int {
		if _, _, ok := parse(text); ok {
			return 0
		}
		if _, ok := parseTime(text); ok {
			return 1
		}
		return 2
	}
	if a != Null && b != Null && rank(a) != rank(b) {
		return cmp.Compare(rank(a), rank(b))
	}
	return s.compareNulls(a == Null, b == Null, func() int {
		x, _, numbers := parse(a)
		y, _, _ := parse(b)
		if numbers {
			return x.value.Cmp(y.value)
		}
		at, _ := parseTime(a)
		other, _ := parseTime(b)
		return cmp.Or(at.Compare(other), strings.Compare(textOf(a), textOf(b)))
	})
}
