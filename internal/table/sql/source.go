package sql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/spelling"
	"github.com/thresh-dev/thresh/internal/table/expr"
)

// Source is what a statement reads: files, or the rows of another statement.
type Source struct {
	Files []string // names, patterns, and "-" for standard input
	Sub   *Statement

	// How the files are written, where the statement says it; otherwise by their names.
	JSON      bool
	Delim     *string
	Quote     *string
	Header    *bool
	Names     []string // of the columns
	Nulls     []string // texts that mean null
	Skip      int64    // lines before the table
	Widths    []int    // of fields in characters, 0 for the rest of the line
	Comment   string   // begins lines that are no records
	Malformed string   // skip or keep; empty for an error

	alias string // of the source; names may begin with it and a point
	at    int    // where it is in the statement
}

// Unnamed returns the source without its alias and place, which make no difference to what is read.
func (s Source) Unnamed() Source {
	s.alias, s.at = "", 0
	return s
}

func (s *Source) none() bool { return s.Files == nil && s.Sub == nil }

// from reads "from", a source, and those that are joined to it.
func (p *parser) from(s *Statement) error {
	p.at++
	if err := p.source(&s.From); err != nil {
		return err
	}
	return p.joins(s)
}

// source reads a source and its name.
func (p *parser) source(s *Source) error {
	t := *p.next()
	s.at = t.At
	var err error
	switch {
	case t.Kind == expr.Single, t.Kind == expr.Double && p.with[strings.ToLower(t.Text)] == nil:
		if t.Text == "" {
			return p.wrong(t.At, "the name of the file is empty")
		}
		s.Files = []string{t.Text}
		p.at++
	case t.Kind == expr.Open:
		s.Sub, err = p.subquery()
	case t.Kind == expr.Sign && t.Text == "[":
		s.Files, err = p.texts("a file in quotes is missing here: ['a.csv', 'b.csv']")
	case t.Kind == expr.Word && p.tokens[p.at+1].Kind == expr.Open:
		err = p.reader(s)
	case (t.Kind == expr.Word || t.Kind == expr.Double) && p.with[strings.ToLower(t.Text)] != nil:
		s.Sub = p.with[strings.ToLower(t.Text)]
		s.alias = t.Text
		p.at++
	case t.Kind == expr.Word && strings.EqualFold(t.Text, "stdin"):
		return p.wrong(t.At, "standard input is a file of this name: from '-'")
	case t.Kind == expr.Word:
		return p.wrong(t.At, fmt.Sprintf("the name of a file is in quotes: from '%s'", t.Text))
	default:
		return p.wrong(t.At, "a file is missing here: from 'file.csv', or from '-'")
	}
	if err == nil {
		err = p.alias(s)
	}
	if err == nil && s.Sub != nil && s.Sub.isPlain() {
		alias, at := s.alias, s.at
		*s = s.Sub.From
		s.alias, s.at = alias, at
	}
	return err
}

// isPlain reports whether the rows of a statement are those of its source, in their order.
func (s *Statement) isPlain() bool {
	all := len(s.items) == 1 && s.items[0].star && s.items[0].of == "" && s.items[0].but == nil
	return all && s.Union == nil && s.Joins == nil && s.where == nil && s.groups == nil && !s.byAll && !s.distinct &&
		s.having.text == "" && !s.ends()
}

// alias reads the name that a source gets.
func (p *parser) alias(s *Source) error {
	as := p.take("as")
	t := p.next()
	switch {
	case isName(*t) && (t.Kind == expr.Double || !p.endsClause() && !p.operator()):
		s.alias = t.Text
		p.at++
	case as:
		return p.wrong(t.At, "a name is missing after as")
	}
	return nil
}

// texts reads a list of texts in brackets.
func (p *parser) texts(missing string) (all []string, err error) {
	open := p.next()
	if open.Kind != expr.Sign || open.Text != "[" {
		return nil, p.wrong(open.At, missing)
	}
	for {
		p.at++
		t := p.next()
		if t.Kind != expr.Single {
			return nil, p.wrong(t.At, missing)
		}
		all = append(all, t.Text)
		p.at++
		switch t = p.next(); {
		case t.Kind == expr.Comma:
		case t.Kind == expr.Sign && t.Text == "]":
			p.at++
			return all, nil
		default:
			return nil, p.wrong(open.At, "the bracket is never closed")
		}
	}
}

// readers are the functions that read files, and whether these hold lines of JSON.
var readers = map[string]bool{
	"read_csv": false, "read_csv_auto": false,
	"read_json": true, "read_json_auto": true, "read_ndjson": true, "read_ndjson_auto": true,
}

// reader reads "read_csv('f', delim='|', header=false)".
func (p *parser) reader(s *Source) (err error) {
	name := p.next()
	json, known := readers[strings.ToLower(name.Text)]
	if !known {
		return p.wrong(name.At, fmt.Sprintf("there is no table function %s; read_csv and read_json read files", name.Text))
	}
	s.JSON = json
	p.at += 2
	switch t := p.next(); {
	case t.Kind == expr.Single:
		s.Files = []string{t.Text}
		p.at++
	case t.Kind == expr.Sign && t.Text == "[":
		if s.Files, err = p.texts("a file in quotes is missing here: ['a.csv', 'b.csv']"); err != nil {
			return err
		}
	default:
		return p.wrong(t.At, "a file in quotes is missing here")
	}
	for p.next().Kind == expr.Comma {
		p.at++
		if err := p.option(s); err != nil {
			return err
		}
	}
	if p.next().Kind != expr.Closing {
		return p.wrong(p.next().At, "a comma or a closing parenthesis is missing before this")
	}
	p.at++
	return nil
}

// option reads an option of a table function, "delim = '|'".
func (p *parser) option(s *Source) error {
	name := p.next()
	p.at++
	if sign := p.next(); sign.Kind != expr.Sign || sign.Text != "=" {
		return p.wrong(sign.At, "write options as name = value")
	}
	p.at++
	i := slices.IndexFunc(readOptions, func(o option) bool { return slices.Contains(o.names, strings.ToLower(name.Text)) })
	if i < 0 {
		var all []string
		for _, o := range readOptions {
			all = append(all, o.names...)
		}
		reason := fmt.Sprintf("there is no option %s; the options are %s", name.Text, strings.Join(all, ", "))
		if near := spelling.Nearest(strings.ToLower(name.Text), all); near != "" {
			reason = fmt.Sprintf("there is no option %s; did you mean %s?", name.Text, near)
		}
		return p.wrong(name.At, reason)
	}
	if s.JSON && !isOneOf(name.Text, "ignore_errors", "null_padding") {
		return p.wrong(name.At, fmt.Sprintf("%s is an option of read_csv", name.Text))
	}
	return readOptions[i].set(p, s)
}

// option is an option of read_csv.
type option struct {
	names []string
	set   func(p *parser, s *Source) error
}

var readOptions = []option{
	{[]string{"delim", "sep"}, func(p *parser, s *Source) error { return p.quoted(&s.Delim) }},
	{[]string{"quote"}, func(p *parser, s *Source) error { return p.quoted(&s.Quote) }},
	{[]string{"header"}, func(p *parser, s *Source) error { return p.truth(&s.Header) }},
	{[]string{"names"}, func(p *parser, s *Source) (err error) {
		s.Names, err = p.texts("a name in single quotes is missing here: names = ['id', 'city']")
		return err
	}},
	{[]string{"nullstr"}, func(p *parser, s *Source) (err error) {
		if p.next().Text == "[" {
			s.Nulls, err = p.texts("a text in single quotes is missing here: nullstr = ['NA', '-']")
			return err
		}
		var one *string
		if err = p.quoted(&one); err == nil && *one != "" { // an empty field is null anyway
			s.Nulls = []string{*one}
		}
		return err
	}},
	{[]string{"skip"}, func(p *parser, s *Source) error {
		n, err := strconv.ParseInt(p.next().Text, 10, 64)
		if p.next().Kind != expr.Digits || err != nil {
			return p.wrong(p.next().At, "a number of lines is missing here")
		}
		s.Skip = n
		p.at++
		return nil
	}},
	{[]string{"comment"}, func(p *parser, s *Source) error {
		var text *string
		err := p.quoted(&text)
		if err == nil {
			s.Comment = *text
		}
		return err
	}},
	{[]string{"widths"}, func(p *parser, s *Source) (err error) {
		s.Widths, err = p.widths()
		return err
	}},
	{[]string{"ignore_errors"}, func(p *parser, s *Source) error { return p.malformed(s, "skip") }},
	{[]string{"null_padding"}, func(p *parser, s *Source) error { return p.malformed(s, "keep") }},
}

// widths reads a list of numbers of characters, "[8, 20, 10]", of which the last may be 0 for the rest of the line.
func (p *parser) widths() (all []int, err error) {
	const missing = "a number of characters is missing here: widths = [8, 20, 10]"
	if p.next().Text != "[" {
		return nil, p.wrong(p.next().At, missing)
	}
	for {
		p.at++
		n, err := strconv.Atoi(p.next().Text)
		if p.next().Kind != expr.Digits || err != nil {
			return nil, p.wrong(p.next().At, missing)
		}
		all = append(all, n)
		p.at++
		if p.next().Text == "]" {
			p.at++
			return all, nil
		}
		if p.next().Kind != expr.Comma {
			return nil, p.wrong(p.next().At, missing)
		}
	}
}

// malformed reads whether malformed records are treated in a way.
func (p *parser) malformed(s *Source, how string) error {
	var is *bool
	err := p.truth(&is)
	if err == nil && *is {
		s.Malformed = how
	}
	return err
}

func (p *parser) quoted(to **string) error {
	t := p.next()
	if t.Kind != expr.Single {
		return p.wrong(t.At, "a text in single quotes is missing here")
	}
	*to = &t.Text
	p.at++
	return nil
}

func (p *parser) truth(to **bool) error {
	t := p.next()
	if t.Kind != expr.Word || !isOneOf(t.Text, "true", "false") {
		return p.wrong(t.At, "true or false is missing here")
	}
	is := strings.EqualFold(t.Text, "true")
	*to = &is
	p.at++
	return nil
}
