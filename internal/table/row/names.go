package row

import (
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/answer"
)

// Complete returns a Writer that completes answers before it passes them on to out: names of columns are unique,
// because readers of some formats find columns by name, and cells have the types of their columns. Untitled answers
// have no title.
func Complete(out answer.Writer, untitled bool) answer.Writer {
	return &completed{Writer: out, untitled: untitled}
}

type completed struct {
	answer.Writer
	untitled bool
	columns  []answer.Column
}

// Begin passes on the columns with unique names.
func (c *completed) Begin(title string, columns []answer.Column) error {
	if c.untitled {
		title = ""
	}
	c.columns = Unique(columns)
	return c.Writer.Begin(title, c.columns)
}

// Row passes on the cells with their types.
func (c *completed) Row(cells []answer.Cell) error {
	for i := range cells {
		cells[i].Type, cells[i].Scale = c.columns[i].Type, c.columns[i].Scale
	}
	return c.Writer.Row(cells)
}

// UniqueNames returns names that differ, see Unique.
func UniqueNames(names []string) []string {
	columns := make([]answer.Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	columns = Unique(columns)
	for i := range columns {
		names[i] = columns[i].Name
	}
	return names
}

// Unique adds a number, from 2 on, to each repeated name. It skips numbers that would make the
// name of another column. Names that differ only in invalid UTF-8 count as equal, because most
// formats write them equally.
func Unique(columns []answer.Column) []answer.Column {
	columns = slices.Clone(columns)
	valid := func(name string) string { return string([]rune(name)) }
	given, known, next := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, c := range columns {
		known[valid(c.Name)] = true
	}
	for i := range columns {
		name := columns[i].Name
		for n := max(next[name], 2); given[valid(columns[i].Name)]; n++ {
			if again := fmt.Sprintf("%s_%d", name, n); !known[valid(again)] {
				columns[i].Name = again
			}
			next[name] = n + 1 // names that are given stay given
		}
		given[valid(columns[i].Name)], known[valid(columns[i].Name)] = true, true
	}
	return columns
}
