package preview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/table/sniff"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// look is what a value looks like.
type look struct {
	name string // of values that all look so
	is   func(text []byte) bool
}

// looks are the looks of values, the narrower one first. A column has the first look that all of its values have.
var looks = []look{
	{"whole numbers", func(t []byte) bool { return sniff.IsNumber(t) && !bytes.ContainsAny(t, ".eE") }},
	{"numbers", sniff.IsNumber},
	{"dates", func(t []byte) bool { at, ok := value.ParseTime(t); return ok && !at.HasClock() }},
	{"times", func(t []byte) bool { _, ok := value.ParseTime(t); return ok }},
	{"true or false", func(t []byte) bool {
		return bytes.EqualFold(t, []byte("true")) || bytes.EqualFold(t, []byte("false"))
	}},
}

// columnOf describes a column of the records.
func columnOf(name string, rows [][]answer.Cell, column int) Column {
	c := Column{Name: name, Records: len(rows), Looks: "nothing: no value was seen"}
	var values [][]byte
	for _, row := range rows {
		if !row[column].Null {
			values = append(values, row[column].Text)
		}
	}
	if c.Present = len(values); c.Present > 0 {
		c.Example, c.Looks = string(values[0]), looksLike(values)
		different := map[string]bool{}
		for _, v := range values {
			different[string(v)] = true
		}
		c.different = len(different)
	}
	return c
}

// A column is named by what most values are if fewer than one of othersMost is something else.
const othersMost = 10

// looksLike says what values look like.
func looksLike(values [][]byte) string {
	for _, l := range looks {
		var other []byte
		n := 0
		for _, v := range values {
			if !l.is(v) {
				other = v
				n++
			}
		}
		switch {
		case n == 0 && (l.name == "whole numbers") && slices.ContainsFunc(values, hasLeadingZero):
			return "text (digits, leading zeros)"
		case n == 0:
			return l.name
		case l.name != "whole numbers" && n*othersMost < len(values):
			return fmt.Sprintf("%s, but %d of %s not, such as %s", l.name, n,
				numeral.CountGrouped(len(values), "value"), shown(other))
		}
	}
	return textLike(values)
}

// hasLeadingZero reports whether digits would be lost if they were taken as a number.
func hasLeadingZero(digits []byte) bool { return len(digits) > 1 && digits[0] == '0' }

// textLike says more about texts.
func textLike(values [][]byte) string {
	different := map[string]bool{}
	withDigits := true
	for _, v := range values {
		if len(different) <= differentMost {
			different[string(v)] = true
		}
		c := bytes.TrimLeft(v, "+-$ ")
		withDigits = withDigits && len(c) > 0 && len(v) < 24 && c[0] >= '0' && c[0] <= '9' && !bytes.ContainsAny(v, ":/")
	}
	switch {
	case withDigits:
		return "text (numbers with other signs)"
	case len(different) == 1 && len(values) > 1:
		return "text, always the same"
	case len(different) <= differentMost && len(values) >= 4*differentMost:
		return "text (one of " + numeral.Count(len(different), "value") + ")"
	}
	return "text"
}

// differentMost is how many different texts are few.
const differentMost = 8

// exampleBytes is how much of a value is shown.
const exampleBytes = 40

func shown(text []byte) string {
	if len(text) > exampleBytes {
		text = append(text[:exampleBytes:exampleBytes], "…"...)
	}
	return fmt.Sprintf("%q", text)
}

// pathsMost is how many paths of lines of JSON are shown.
const pathsMost = 200

// paths returns the paths to values in lines of JSON, in the order in which they are seen first. An array is a value.
func paths(text []byte) (names []string) {
	seen, steps := map[string]bool{}, map[string]string{}
	known := func(name string) string {
		if steps[name] == "" {
			steps[name] = step(name)
		}
		return steps[name]
	}
	for line := range bytes.Lines(text) {
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if t, err := d.Token(); err == nil && t == json.Delim('{') {
			walk(d, "", known, func(path string) {
				if !seen[path] && len(names) < pathsMost {
					seen[path] = true
					names = append(names, path)
				}
			})
		}
	}
	return names
}

// walk visits the paths to values in an object whose brace was read, a step a name. It ends at a mistake.
func walk(d *json.Decoder, above string, step func(name string) string, visit func(path string)) {
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return
		}
		name, _ := key.(string)
		path := above + step(name)
		var rest json.RawMessage
		if d.Decode(&rest) != nil {
			return
		}
		inner := json.NewDecoder(bytes.NewReader(rest))
		if t, err := inner.Token(); err == nil && t == json.Delim('{') && len(bytes.TrimSpace(rest)) > 2 {
			walk(inner, path+".", step, visit)
			continue
		}
		visit(path)
	}
}

// statements returns questions about the records of a source, made of the columns: groups by one with few different
// texts, sums of one with numbers, and records.
func (f *File) statements(source string) (ask []string) {
	group, number := f.toGroup(), f.toAdd()
	sums := ""
	if number != nil {
		sums = fmt.Sprintf(", sum(%s)", number.asked)
	}
	switch {
	case group != nil:
		ask = append(ask, fmt.Sprintf("select %s, count(*)%s from %s group by 1 order by 2 desc limit 5",
			group.asked, sums, source))
	case number != nil:
		ask = append(ask, fmt.Sprintf("select count(*)%s from %s", sums, source))
	}
	if number != nil {
		ask = append(ask, fmt.Sprintf("select * from %s where %s > %s limit 10", source, number.asked, number.Example))
	}
	return append(ask, "select count(*) from "+source)
}

// source returns what statements name after from. How the table is written they find out as this package does, and so
// say only what was given.
func (f *File) source(name string, given Given) (string, error) {
	if !given.any() {
		return "'" + strings.ReplaceAll(name, "'", "''") + "'", nil
	}
	spec := thresh.TableSpec{Dialect: f.Dialect, Questions: []thresh.Question{thresh.RecordCount{}}}
	rows, err := spec.SQL([]string{name})
	_, source, _ := strings.Cut(rows, " from ")
	return source, err
}

// numberLooks are the looks of columns to add up, the best first.
var numberLooks = []string{"numbers", "whole numbers"}

// toAdd returns the column to add up, the last one with the best look; nil if there is none.
func (f *File) toAdd() *Column {
	for _, look := range numberLooks {
		for i := range slices.Backward(f.Columns) {
			if strings.HasPrefix(f.Columns[i].Looks, look) {
				return &f.Columns[i]
			}
		}
	}
	return nil
}

// toGroup returns the column to group by, the one with the fewest values that are no numbers; nil if there is none.
func (f *File) toGroup() (fewest *Column) {
	for i := range f.Columns {
		c := &f.Columns[i]
		if strings.Contains(c.Looks, "numbers") || c.different == 0 || c.different == 1 && f.Columns[0].Records > 1 {
			continue
		}
		if fewest == nil || c.different < fewest.different {
			fewest = c
		}
	}
	return fewest
}

// step returns a name as it is written in a question: in backquotes unless it is a word that is nothing else there.
func step(name string) string {
	quoted := thresh.QuoteColumn(name)
	for i, c := range []byte(name) {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return quoted
		}
	}
	switch strings.ToLower(name) {
	case "", "null", "true", "false":
		return quoted
	}
	if _, err := thresh.ParseSQL("select " + name + " from 'file'"); err != nil {
		return quoted
	}
	return name
}
