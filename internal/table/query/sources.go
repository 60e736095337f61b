package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/spelling"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/hashjoin"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// A statement may join several tables. One of them, the probe, is what a pass reads; the needed columns of the others
// are in memory. Names mean columns of all of them. A column of a table in memory is a derived one, whose values the
// join puts where those of expressions are; so whatever works with columns works with joined ones.

// JoinKind says how a table is joined to those before it.
type JoinKind uint8

// The kinds of joins.
const (
	Inner JoinKind = iota
	Left           // rows without a match stay, and have nulls
	Full           // and so do those of the right side
	Semi           // rows that have a match, once each
	Anti           // rows that have none
	NotIn          // as Anti, but null is unknown, as in SQL's not in
)

func (k JoinKind) String() string {
	return [...]string{"inner", "left", "full", "semi", "anti", "not in"}[k]
}

// KeepsOne reports whether the columns of the right side are not in the answer.
func (k JoinKind) KeepsOne() bool { return k >= Semi }

// Source is one of the tables that a statement joins.
type Source struct {
	Name string // that may be before the names of its columns
	// Second: * has its columns after those of the next source.
	Second bool
	First  First // not of the probe
	Kind   JoinKind
	On     string   // the condition; empty if Using says it
	Using  []string // columns that have the same name on both sides
	In     string   // an expression that its only column is compared with, which then has no name
	Rows   *hashjoin.Table
}

// Probes returns which of the sources may be the probe: the first one, one that is joined to it by inner joins alone,
// and the right side of the first join.
func Probes(sources []Source) (probes []int) {
	for i, s := range sources {
		if i > 0 && s.Kind != Inner {
			if i == 1 && s.In == "" {
				probes = append(probes, i)
			}
			break
		}
		probes = append(probes, i)
	}
	return probes
}

// title returns what a source is called in messages.
func (s *Source) title() string { return cmp.Or(s.Name, "the statement in parentheses") }

// JoinedColumn is a column of a source that is in memory.
type JoinedColumn struct{ source, column int }

// firstOf returns the beginning of a source.
func (q *Query) firstOf(source int) *First {
	if source == q.Probe {
		return &q.First
	}
	return &q.Sources[source].First
}

// resolve returns what names mean.
func (q *Query) resolve() key.Resolve {
	if len(q.Sources) == 0 {
		return q.First.resolve()
	}
	return q.resolveIn(len(q.Sources), 0)
}

// resolveIn returns what names mean where the first n sources can be named, on among them whatever its kind.
func (q *Query) resolveIn(n, on int) key.Resolve {
	visible := func(s int) bool { return s < n && (s == 0 || s == on || !q.Sources[s].Kind.KeepsOne()) }
	return func(name string, quoted bool) (int, error) {
		source, rest := q.qualified(name, quoted)
		switch {
		case source < 0:
			return q.unqualified(visible, name, quoted)
		case source >= n:
			return 0, fmt.Errorf("column %s: %s is joined later", name, q.Sources[source].Name)
		case !visible(source):
			return 0, fmt.Errorf("column %s: of %s nothing but on can be asked, which is joined by %v join", name,
				q.Sources[source].Name, q.Sources[source].Kind)
		}
		rest, inQuotes := unquotedPath(rest)
		return q.columnOf(source, rest, inQuotes)
	}
}

// qualified returns the source that a name begins with, and the rest; -1 if it begins with none.
func (q *Query) qualified(name string, quoted bool) (source int, rest string) {
	if quoted {
		return -1, name
	}
	return slices.IndexFunc(q.Sources, func(s Source) (found bool) {
		if n := len(s.Name); n > 0 && len(name) > n+1 && name[n] == '.' && strings.EqualFold(name[:n], s.Name) {
			rest, found = name[n+1:], true
		}
		return found
	}), rest
}

// unquotedPath returns a name without the backquotes that are around all of it.
func unquotedPath(name string) (inner string, quoted bool) {
	n := len(name) - 1
	if n < 1 || name[0] != '`' || name[n] != '`' || strings.Contains(strings.ReplaceAll(name[1:n], "``", ""), "`") {
		return name, false
	}
	return strings.ReplaceAll(name[1:n], "``", "`"), true
}

// columnOf resolves a name in one source.
func (q *Query) columnOf(source int, name string, quoted bool) (int, error) {
	column, err := q.firstOf(source).resolve()(name, quoted)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", q.Sources[source].title(), err)
	}
	return q.joinedColumn(source, column), nil
}

// joinedColumn returns the column of the query that is one of a source.
func (q *Query) joinedColumn(source, column int) int {
	if source == q.Probe {
		return column
	}
	c := JoinedColumn{source, column}
	i := slices.IndexFunc(q.Derived.All, func(d Derivation) bool { return d.Joined != nil && *d.Joined == c })
	if i < 0 {
		i = len(q.Derived.All)
		q.Derived.All = append(q.Derived.All, Derivation{Joined: &c, Text: q.firstOf(source).Name(column)})
	}
	return q.Derived.First + i
}

// unqualified resolves a name in the only source that has it.
func (q *Query) unqualified(visible func(source int) bool, name string, quoted bool) (int, error) {
	var in, of []int // the sources that have the name, or may have it, and those of which it is the column filename
	var known, sources []string
	for s := range q.Sources {
		if !visible(s) {
			continue
		}
		first := q.firstOf(s)
		known, sources = append(known, first.Names...), append(sources, q.Sources[s].title())
		column, err := first.resolve()(name, quoted)
		switch {
		case err != nil:
		case first.Paths == nil && first.Fields > 0 && column == first.fileColumn():
			of = append(of, s)
		default:
			in = append(in, s)
		}
	}
	if len(in) == 0 {
		in = of
	}
	switch {
	case len(in) == 0 && quoted || len(in) == 0 && expr.IsWord(name):
		reason := ""
		if near := spelling.Nearest(name, known); near != "" {
			reason = "; did you mean " + near + "?"
		}
		return 0, fmt.Errorf("column %q: no such name in %s%s", name, strings.Join(sources, " or "), reason)
	case len(in) == 0:
		return 0, fmt.Errorf("column %q: write the name of its table before it, %s.%[1]s", name, sources[0])
	case len(in) > 1 && !q.isShared(name, in):
		a, b := &q.Sources[in[0]], &q.Sources[in[1]]
		if a.Name == "" || b.Name == "" {
			return 0, fmt.Errorf("column %q may be that of %s or that of %s: give each table a name, 'a.csv' a", name,
				a.title(), b.title())
		}
		return 0, fmt.Errorf("column %q may be that of %s or that of %s: write %[2]s.%[1]s or %[3]s.%[1]s", name, a.Name,
			b.Name)
	}
	return q.columnOf(in[0], name, quoted)
}

// isShared reports whether some sources have a column in common by using.
func (q *Query) isShared(name string, sources []int) bool {
	return !slices.ContainsFunc(sources[1:], func(s int) bool { return !hasName(q.Sources[s].Using, name) })
}

// hasName reports whether a name is among others, in any case.
func hasName(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// everyColumn returns the columns that * stands for, or SOURCE.*: those of the sources in the order of the statement.
// What using names comes once.
func (q *Query) everyColumn(source string) (columns []int, err error) {
	found := source == ""
	for s := range q.Sources {
		if s < 2 && q.Sources[0].Second {
			s = 1 - s
		}
		of := &q.Sources[s]
		switch {
		case s > 0 && of.Kind.KeepsOne(), source != "" && !strings.EqualFold(of.Name, source):
			continue
		}
		found = true
		first := q.firstOf(s)
		if first.Paths != nil {
			return nil, fmt.Errorf("%s: lines of JSON may have any keys: name columns", of.title())
		}
		for c := range first.Fields {
			if source != "" || !hasName(of.Using, first.Name(c)) {
				columns = append(columns, q.joinedColumn(s, c))
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("%s.*: no table has this name", source)
	}
	return columns, nil
}

// keyOrNamed returns the column of the answer that has a name. Where tables are joined, keys are told by their columns:
// h.name and r.name are both called name.
func (a *GroupPlan) keyOrNamed(q *Query, name string, quoted bool) int {
	if len(q.Sources) > 0 {
		if c, err := q.resolve()(name, quoted); err == nil {
			isKey := func(k *key.Key) bool { return k.IsColumn() && k.Column == c }
			if i := slices.IndexFunc(a.Keys, isKey); i >= 0 {
				return i
			}
		}
	}
	return a.named(name)
}

// sourceOf returns the source of a column that is not computed.
func (q *Query) sourceOf(column int) int {
	if q.IsJoined(column) {
		return q.Derived.All[column-q.Derived.First].Joined.source
	}
	return q.Probe
}

// sourcesOf returns the sources whose columns an expression uses, a bit for each.
func (q *Query) sourcesOf(n expr.Node) (set uint64) {
	for _, c := range expr.Of(n).Columns() {
		if q.Derived.Has(c) && !q.IsJoined(c) { // what a regular expression finds
			for _, of := range q.Derived.All[c-q.Derived.First].From() {
				set |= 1 << q.sourceOf(of)
			}
			continue
		}
		set |= 1 << q.sourceOf(c)
	}
	return set
}
