// Package preview says what is in a file from its first bytes: what kind of file it is, what to ask of it, and of a
// table its columns and first records. It guesses, and so nothing but what is shown
// depends on it.
package preview

import (
	"bytes"
	"cmp"
	"context"
	"strconv"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/sniff"
	"github.com/thresh-dev/thresh/options"
)

// Bytes is how much of a file is looked at.
const Bytes = 1 << 20

// File is what a file seems to be.
type File struct {
	What string   // such as "a program (ELF)"
	Ask  []string // commands to type next, of which FILE is the file
	// Of a table:
	Table   bool
	SQL     []string // statements to ask next
	Dialect options.Dialect
	Columns []Column
	Records [][]answer.Cell // the first ones; a cell a column
	// Of other files:
	Lines  []string // of a text, the first ones
	Binary bool     // its first bytes say more than its lines
}

// Column is what the first records hold in a column.
type Column struct {
	Name    string
	Looks   string // what its values look like, such as "integers"
	Present int    // of all records looked at, those with a value
	Records int    // how many were looked at
	Example string // the first value

	asked     string // how a question names it
	different int    // how many values there are
}

// Look says what a file seems to be. Head is what it begins with, decompressed, and whole that there is no more.
// Given is what is known about how its table is written; what is nil is found out.
func Look(ctx context.Context, name string, head []byte, whole bool, given Given) (*File, error) {
	switch kind := kindOf(head); {
	case given.any():
	case len(head) == 0:
		return &File{What: "empty"}, nil
	case kind != nil:
		return &File{What: kind.what, Ask: kind.ask, Binary: true}, nil
	case bytes.IndexByte(head, 0) >= 0:
		return binary(head, whole), nil
	}
	text := given.skip(sniff.Text(head, whole))
	switch d, ok := given.dialect(sniff.Ending(name), text); {
	case ok:
		return lookAtTable(ctx, name, d, given, text)
	case isJSON(text):
		if text = bytes.TrimSpace(text); text[0] == '[' {
			return &File{What: "JSON, an array", Lines: lines(text),
				Ask: []string{"jq -c '.[]' FILE | thresh -", "thresh minify FILE -o small.json"}}, nil
		}
		return &File{What: "JSON", Ask: []string{"thresh minify FILE -o small.json", "thresh grep PATTERN FILE"},
			Lines: lines(text)}, nil
	}
	return textFile(text), nil
}

// Given is what is known about how a table is written.
type Given struct {
	Dialect *options.Dialect // nil: it is found out
	Header  *bool            // whether the first record names the columns; nil: it is found out
	Nulls   []string         // texts that mean null
	// SkipLines is how many lines at the beginning are left out.
	SkipLines int64
}

func (g Given) any() bool {
	return g.Dialect != nil || g.Header != nil || g.Nulls != nil || g.SkipLines > 0
}

// skip returns a text without its first lines.
func (g Given) skip(text []byte) []byte {
	for range g.SkipLines {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	return text
}

// dialect returns how a table is written, and false if the text seems to be no table.
func (g Given) dialect(ending string, text []byte) (d options.Dialect, ok bool) {
	if g.Dialect != nil {
		return *g.Dialect, true
	}
	sniffed, ok := sniff.Dialect(ending, text)
	return options.Dialect(sniffed), ok || g.any()
}

// binary describes a file with bytes that no text has.
func binary(head []byte, whole bool) *File {
	f := &File{What: "binary data", Binary: true,
		Ask: []string{"thresh find --text WORD FILE", "thresh find --hex 'CA FE ?? 01' --all FILE",
			"thresh count --type u8 --histogram FILE"}}
	if len(bytes.Trim(head, "\x00")) > 0 {
		return f
	}
	f.What, f.Ask = "zeros, as far as was looked", []string{"thresh blank FILE", "thresh find --nonzero FILE"}
	if whole {
		f.What = "zeros only"
	}
	return f
}

// lookAtTable describes a table by its first records.
func lookAtTable(ctx context.Context, name string, d options.Dialect, given Given, text []byte) (*File, error) {
	d.Nulls, d.SkipLines = given.Nulls, 0 // the lines are gone
	f := &File{Table: true, Dialect: d}
	names := []string{"*"}
	switch {
	case d.JSON:
		names = paths(text)
	case given.Header != nil:
		f.Dialect.Header = *given.Header
	default:
		f.Dialect.Header = sniff.Header(query.Dialect(d), text)
	}
	all, err := selected(ctx, f.Dialect, text, names, 0)
	if err != nil {
		return nil, err
	}
	for i, c := range all.Columns {
		if d.JSON {
			c.Name = names[i]
		}
		f.Columns = append(f.Columns, columnOf(c.Name, all.Rows, i))
	}
	if err := f.nameColumns(ctx, text); err != nil {
		return nil, err
	}
	f.Dialect.SkipLines = given.SkipLines
	f.Records = all.Rows[:min(len(all.Rows), recordsShown)]
	f.What = f.describe()
	if source, err := f.source(name, given); err == nil { // otherwise no statement says how the table is written
		f.SQL = f.statements(source)
	}
	return f, nil
}

// nameColumns sets how questions name the columns: by the first record, where it has a name once, else by number.
func (f *File) nameColumns(ctx context.Context, text []byte) error {
	named := map[string]int{}
	var heading []answer.Cell
	if f.Dialect.Header {
		d := f.Dialect
		d.Header = false
		first, err := selected(ctx, d, text, []string{"*"}, 1)
		if err != nil {
			return err
		}
		heading = first.Rows[0]
		for _, cell := range heading {
			named[string(cell.Text)]++
		}
	}
	for i := range f.Columns {
		c := &f.Columns[i]
		switch {
		case f.Dialect.JSON:
			c.asked = c.Name // a path
		case i < len(heading) && named[string(heading[i].Text)] == 1:
			c.asked = step(string(heading[i].Text))
		default:
			c.asked = "$" + strconv.Itoa(i+1)
		}
	}
	return nil
}

// recordsShown is how many records are shown.
const recordsShown = 5

// selected returns columns of the first records.
func selected(ctx context.Context, d options.Dialect, text []byte, names []string, limit int64) (
	a answer.Table, err error) {
	if len(names) == 0 {
		return a, nil
	}
	var answers answer.Tables
	spec := thresh.TableSpec{Dialect: d, Malformed: options.MalformedKeep,
		Questions: []thresh.Question{thresh.Select{Columns: names, Limit: limit}}}
	_, err = thresh.Table(ctx, thresh.FromBytes(text), spec, options.Scan{}, &answers)
	if err == nil && len(answers) > 0 {
		a = answers[0]
	}
	return a, err
}

// describe says how the table is written.
func (f *File) describe() string {
	if f.Dialect.JSON {
		return "lines of JSON"
	}
	what := map[byte]string{',': "commas", '\t': "tabs", ';': "semicolons", '|': "bars", ' ': "spaces"}[f.Dialect.Delim]
	switch {
	case f.Dialect.Widths != nil:
		what = "fixed widths"
	case f.Dialect.Blanks:
		what = "runs of blanks"
	case what == "":
		what = cmp.Or(f.Dialect.Separator, string(rune(f.Dialect.Delim)))
	}
	between := " between fields"
	if f.Dialect.Widths != nil {
		between = " of fields"
	}
	if f.Dialect.Header {
		return "a table with " + what + between + "; the first record names the columns"
	}
	return "a table with " + what + between + " and no names of columns"
}
