package row

import (
	"fmt"
	"slices"
)

// Named returns an Output that makes the column names of an answer unique before it passes the answer on to out.
// Readers of some formats find columns by name, so names must not occur twice.
func Named(out Output) Output { return naming{out} }

type naming struct{ Output }

// Begin passes on the columns with unique names.
func (n naming) Begin(title string, columns []Column) error {
	return n.Output.Begin(title, Unique(columns))
}

// UniqueNames returns names that differ, see Unique.
func UniqueNames(names []string) []string {
	columns := make([]Column, len(names))
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
func Unique(columns []Column) []Column {
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
