package table

import (
	"fmt"
	"slices"
)

// rename gives the keys of an answer the names in the header, no matter whether the user wrote a number or
// a name, in quotes or not.
func (a *groupAnswer) rename(q *query) {
	for _, k := range a.keys {
		k.Text = k.Heading(q.keyName(k))
	}
}

// naming makes the column names of an answer unique before it passes the answer on. Readers of
// some formats find columns by name, so names must not occur twice.
type naming struct{ Output }

// Begin passes on the columns with unique names.
func (n naming) Begin(title string, columns []Column) error {
	return n.Output.Begin(title, unique(columns))
}

// Unique returns names that differ, see unique.
func Unique(names []string) []string {
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	columns = unique(columns)
	for i := range columns {
		names[i] = columns[i].Name
	}
	return names
}

// unique adds a number, from 2 on, to each repeated name. It skips numbers that would make the
// name of another column. Names that differ only in invalid UTF-8 count as equal, because most
// formats write them equally.
func unique(columns []Column) []Column {
	columns = slices.Clone(columns)
	valid := func(name string) string { return string([]rune(name)) }
	given, known := map[string]bool{}, map[string]bool{}
	for _, c := range columns {
		known[valid(c.Name)] = true
	}
	for i := range columns {
		name := columns[i].Name
		for n := 2; given[valid(columns[i].Name)]; n++ {
			if again := fmt.Sprintf("%s_%d", name, n); !known[valid(again)] {
				columns[i].Name = again
			}
		}
		given[valid(columns[i].Name)], known[valid(columns[i].Name)] = true, true
	}
	return columns
}
