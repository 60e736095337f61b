package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/key"
)

// rename names the columns of an answer as the header does, whether they were written by
// number or by name, in quotes or not.
func (a *groupAnswer) rename(f First) {
	name := func(k *key.Key) string {
		if f.Fields == 0 { // nobody knows the columns of an empty table
			return k.Name
		}
		return f.name(k.Column)
	}
	for _, k := range a.keys {
		k.Text = k.Heading(name(k))
	}
	for i := range a.aggregates {
		g := &a.aggregates[i]
		function, column, ok := strings.Cut(g.text, "(")
		if !ok || !strings.HasSuffix(column, ")") {
			continue
		}
		if k, err := key.Parse(strings.TrimSuffix(column, ")"), f.resolve()); err == nil {
			g.text = strings.TrimSpace(function) + "(" + name(k) + ")"
		}
	}
}

// naming gives every column of an answer a name of its own before it passes the answer on:
// formats whose readers find columns by name cannot have two of one name.
type naming struct{ Output }

// Begin passes on the heading.
func (n naming) Begin(title string, columns []Column) error {
	return n.Output.Begin(title, unique(columns))
}

// unique gives a number to each name that occurs again, from 2 on, and skips numbers that make
// the name of another column. Names that differ only in bytes that are not UTF-8 are alike in
// most formats.
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
