package verbs

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/command"
)

// questions holds the questions, in the order of the command line.
type questions struct {
	list    []thresh.Question
	ordered map[int]string // the flag that orders the groups, by index of the question
	wanted  map[int]string // --having, by index of the question
	limited map[int]string // --limit, by index of the question
	skipped map[int]string // --skip, by index of the question
	seeded  map[int]string // --seed, by index of the question
}

// flags declares the flags that ask. Their places among the others matter.
func (q *questions) flags() []command.Flag {
	ask := func(question func() thresh.Question) func() {
		return func() { q.list = append(q.list, question()) }
	}
	return []command.Flag{
		{Name: "rows", To: ask(func() thresh.Question { return &thresh.RecordCount{} }),
			Help: "print the number of records"},
		{Name: "columns", To: ask(func() thresh.Question { return &thresh.Columns{} }),
			Help: "describe each column: type, nulls, different values, min, max, widest"},
		{Name: "nth", To: q.nth, Complete: completeColumn,
			Help: "print these columns of these records, counted from 0, `R,...:COLUMN,...`: 0,432,10-20:8,name"},
		{Name: "select", To: q.choose, Complete: completeColumn,
			Help: "print these columns of the records, `COLUMN,...`, in file order or by --sort; * is all of them"},
		{Name: "sample", To: q.sample,
			Help: "print `N` of the records, chosen at random, in file order; with --select these columns of them"},
		{Name: "seed", To: q.seed,
			Help: "choose another --sample: the same `N` chooses the same records (default 0)"},
		{Name: "group", To: q.group, Complete: completeColumn,
			Help: "group by `KEY,...`, and count or aggregate each group"},
		{Name: "agg", To: q.agg, Complete: completeColumn, Help: "`LIST` of aggregates of each group: count sum(c) min(c) " +
			"max(c) mean(c) distinct(c) p50(c) ... (default count)"},
		{Name: "top", To: q.top, Complete: completeColumn,
			Help: "print the N most common keys, and how often they occur: `N:KEY`; N after a --group: its N greatest groups"},
		{Name: "having", To: q.having, Complete: completeColumn,
			Help: "print only the groups for which `EXPR` is true: count > 10 and sum(amount) < 0"},
		{Name: "sort", To: q.sort, Suggest: []string{"key", "value"},
			Help: "sort groups or records by `COLUMN,...`, each with asc or desc after it; " +
				"groups also by key (default), value (the first aggregate) or an aggregate"},
		{Name: "top-by", To: q.topBy, Complete: completeColumn, Help: "sort the groups by `AGG`, greatest first"},
		{Name: "limit", To: q.limit, Help: "print only the first `N` groups or records"},
		{Name: "skip", To: q.skip, Help: "leave out the first `N` groups or records; --limit counts those after them"},
		// As other programs call them.
		{Name: "group-by", To: q.group, Hidden: true}, {Name: "order-by", To: q.sort, Hidden: true},
		{Name: "sum", To: q.aggOf("sum"), Hidden: true}, {Name: "mean", To: q.aggOf("mean"), Hidden: true},
		{Name: "avg", To: q.aggOf("avg"), Hidden: true}, {Name: "median", To: q.aggOf("median"), Hidden: true},
		{Name: "min", To: q.aggOf("min"), Hidden: true}, {Name: "max", To: q.aggOf("max"), Hidden: true},
	}
}

// aggOf returns what adds an aggregate of each column of a list, as "--sum amount" is --agg 'sum(amount)'.
func (q *questions) aggOf(function string) func(text string) error {
	return func(text string) error {
		var list []string
		for _, column := range splitList(text) {
			list = append(list, function+"("+strings.TrimSpace(column)+")")
		}
		return q.agg(strings.Join(list, ","))
	}
}

func (q *questions) group(text string) error {
	if text == "" {
		return errors.New("it is empty: name a column")
	}
	q.list = append(q.list, &thresh.Groups{Keys: text})
	return nil
}

// errNoGroup is the error of --sort, --top-by or --limit without a --group before it.
var errNoGroup = errors.New("it applies to the --group before it, and there is none: put it after a --group")

// errNothingBefore is the error of --limit, --skip or --sort without anything before it that it applies to.
var errNothingBefore = errors.New("it applies to the --group or --select before it, and there is none: " +
	"put it after one")

// lastGroup returns the group that a flag applies to: the last question, if that is a group.
func (q *questions) lastGroup() (*thresh.Groups, error) {
	if n := len(q.list); n > 0 {
		if g, ok := q.list[n-1].(*thresh.Groups); ok {
			return g, nil
		}
	}
	return nil, errNoGroup
}

// nth parses the value of --nth, "0,432:8,name".
func (q *questions) nth(text string) error {
	numbers, columns, ok := strings.Cut(text, ":")
	if !ok || columns == "" {
		return errors.New("which columns? write RECORDS:COLUMNS, like 0,432:8,name")
	}
	ask := &thresh.Records{Columns: splitList(columns)}
	for _, number := range strings.Split(numbers, ",") {
		first, last, ranged := strings.Cut(strings.TrimSpace(number), "-")
		if !ranged {
			last = first
		}
		from, err1 := strconv.ParseUint(first, 10, 63)
		to, err2 := strconv.ParseUint(last, 10, 63)
		switch {
		case err1 != nil || err2 != nil:
			return fmt.Errorf("%q is not a record number: records are counted from 0, and 10-20 are eleven of them", number)
		case to < from:
			return fmt.Errorf("%q: the range ends before it begins", number)
		}
		ask.Ranges = append(ask.Ranges, thresh.RecordRange{First: int64(from), Last: int64(to)})
	}
	q.list = append(q.list, ask)
	return nil
}

// choose parses the value of --select.
func (q *questions) choose(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("it is empty: name columns, or * for all")
	}
	var columns []string
	for _, column := range splitList(text) {
		columns = append(columns, strings.TrimSpace(column))
	}
	if s := q.sampled(); s != nil && s.Columns == nil {
		s.Columns = columns
		return nil
	}
	q.list = append(q.list, &thresh.Select{Columns: columns})
	return nil
}

// sample parses the value of --sample. It turns the --select before it into a sample.
func (q *questions) sample(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is not a number of records: it must be at least 1", text)
	}
	ask := &thresh.Sample{Size: n}
	if last := len(q.list) - 1; last >= 0 {
		if s, ok := q.list[last].(*thresh.Select); ok {
			switch {
			case s.Limit > 0:
				return fmt.Errorf("--sample %d contradicts --limit %d before it: each says how many records", n, s.Limit)
			case s.Skip > 0:
				return fmt.Errorf("--sample %d contradicts --skip %d before it: a sample is of all records", n, s.Skip)
			case s.OrderBy != "":
				return fmt.Errorf("--sample %d contradicts --sort %s before it: a sample is in file order", n, s.OrderBy)
			}
			ask.Columns = s.Columns
			q.list[last] = ask
			return nil
		}
	}
	q.list = append(q.list, ask)
	return nil
}

// onlyRecords reports whether records are all that is printed, so that they can look as they do in the table.
func (q *questions) onlyRecords() bool {
	return len(q.list) == 1 && (q.selected() != nil || q.sampled() != nil)
}

// alone names the question that must be the only one, and says why; it returns "" if there is none.
func (q *questions) alone() string {
	for _, ask := range q.list {
		switch ask.(type) {
		case *thresh.Select:
			return "--select prints the records themselves"
		case *thresh.Columns:
			return "--columns describes all columns"
		}
	}
	return ""
}

// sampled returns the sample that is the last question, nil if there is none.
func (q *questions) sampled() *thresh.Sample {
	if n := len(q.list); n > 0 {
		s, _ := q.list[n-1].(*thresh.Sample)
		return s
	}
	return nil
}

func (q *questions) seed(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not a number from 0 to 2^64-1", text)
	}
	s := q.sampled()
	if s == nil {
		return errors.New("it applies to the --sample before it, and there is none: put it after a --sample")
	}
	if err := q.once(&q.seeded, fmt.Sprintf("--seed %d", n), "a sample has one seed"); err != nil {
		return err
	}
	s.Seed = n
	return nil
}

// selected returns the Select that is asked for, nil if none is.
func (q *questions) selected() *thresh.Select {
	for _, ask := range q.list {
		if s, ok := ask.(*thresh.Select); ok {
			return s
		}
	}
	return nil
}

// splitList splits a list of columns at its commas, except those in quotes or parentheses.
func splitList(list string) (parts []string) {
	quote, from, depth := byte(0), 0, 0
	for i := range len(list) {
		switch c := list[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '`', c == '\'' && !insideWord(list[:i]):
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth = max(0, depth-1)
		case c == ',' && depth == 0:
			parts = append(parts, list[from:i])
			from = i + 1
		}
	}
	return append(parts, list[from:])
}

// insideWord reports whether a text ends with a letter or a digit, so that a single quote after it is part of a name.
func insideWord(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(last) || unicode.IsDigit(last)
}

// agg adds aggregates to the last group, or without one asks for aggregates of all records.
func (q *questions) agg(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("it is empty: name aggregates, like count,sum(amount)")
	}
	last, err := q.lastGroup()
	switch {
	case err != nil:
		q.list = append(q.list, &thresh.Groups{Aggregates: text})
	case last.Aggregates != "" && last.Keys == "":
		q.list = append(q.list, &thresh.Groups{Aggregates: text})
	case last.Aggregates != "":
		last.Aggregates += "," + text
	default:
		last.Aggregates = text
	}
	return nil
}

// top parses the value of --top, "10:KEY". After a --group "10" is its greatest groups.
func (q *questions) top(text string) error {
	number, key, ok := strings.Cut(text, ":")
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	last, none := q.lastGroup()
	switch {
	case !ok && err == nil && n > 0 && none == nil:
		flag := "--top " + text
		if err := cmp.Or(q.order(flag), q.once(&q.limited, flag, "there can be only one limit")); err != nil {
			return err
		}
		last.OrderBy, last.Limit = thresh.ByValue, n
		return nil
	case !ok || err != nil || n < 1 || key == "":
		return errors.New("write N:KEY, like 10:country, or N after a --group for the N greatest of its groups")
	}
	q.list = append(q.list, &thresh.TopKeys{Keys: key, Limit: n})
	return nil
}

func (q *questions) having(text string) error {
	last, err := q.lastGroup()
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return errors.New("it is empty: write a condition, like count > 10")
	}
	if err := q.once(&q.wanted, "--having "+text, "join both with and"); err != nil {
		return err
	}
	last.Having = text
	return nil
}

func (q *questions) sort(text string) error {
	by, _, _, err := q.rows()
	switch s := q.sampled(); {
	case s != nil:
		return fmt.Errorf("--sort %s contradicts --sample %d before it: a sample is in file order", text, s.Size)
	case err != nil:
		return err
	case by == nil:
		return errors.New("--top sorts by count: give --group with --sort for another order")
	case strings.TrimSpace(text) == "":
		return errors.New("it is empty: name a column of the answer, like key, value or sum(amount), or of the records")
	}
	if err := q.order("--sort " + text); err != nil {
		return err
	}
	*by = text
	return nil
}

// rows returns what the flags for the rows of an answer set, in the last question: the order, nil where it is
// fixed, how many of the first rows are left out, and how many are printed after them.
func (q *questions) rows() (by *string, skip, limit *int64, err error) {
	if n := len(q.list); n > 0 {
		switch ask := q.list[n-1].(type) {
		case *thresh.Groups:
			return &ask.OrderBy, &ask.Skip, &ask.Limit, nil
		case *thresh.Select:
			return &ask.OrderBy, &ask.Skip, &ask.Limit, nil
		case *thresh.TopKeys:
			return nil, &ask.Skip, &ask.Limit, nil
		}
	}
	return nil, nil, nil, errNothingBefore
}

// streams reports whether records are printed while they are read.
func (q *questions) streams() bool {
	s := q.selected()
	return s != nil && s.OrderBy == ""
}

func (q *questions) topBy(text string) error {
	last, err := q.lastGroup()
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return errors.New("it is empty: name an aggregate, like sum(amount)")
	}
	if err := q.order("--top-by " + text); err != nil {
		return err
	}
	last.OrderBy = text + " desc"
	return nil
}

// order records the flag that sorts the groups of the last question, and refuses a second one.
func (q *questions) order(flag string) error {
	return q.once(&q.ordered, flag, "the same groups can have only one order")
}

// once records a flag of the last question, and refuses a different one of the same kind.
func (q *questions) once(given *map[int]string, flag, reason string) error {
	at := len(q.list) - 1
	if before, ok := (*given)[at]; ok && before != flag {
		return fmt.Errorf("%s contradicts %s before it: %s", flag, before, reason)
	}
	if *given == nil {
		*given = map[int]string{}
	}
	(*given)[at] = flag
	return nil
}

func (q *questions) limit(text string) error {
	by, _, limit, err := q.rows()
	n, wrong := strconv.ParseInt(text, 10, 64)
	switch s := q.sampled(); {
	case s != nil:
		return fmt.Errorf("--limit %s contradicts --sample %d before it: each says how many records", text, s.Size)
	case err != nil:
		return err
	case wrong != nil || n < 1:
		return fmt.Errorf("%q is not a number of groups or records: it must be at least 1", text)
	case by == nil:
		top := q.list[len(q.list)-1].(*thresh.TopKeys)
		return fmt.Errorf("--limit %d contradicts --top %d:%s before it, which already gives the number",
			n, top.Limit, top.Keys)
	}
	if err := q.once(&q.limited, fmt.Sprintf("--limit %d", n), "there can be only one limit"); err != nil {
		return err
	}
	*limit = n
	return nil
}

func (q *questions) skip(text string) error {
	_, skip, _, err := q.rows()
	n, wrong := strconv.ParseInt(text, 10, 64)
	switch s := q.sampled(); {
	case s != nil:
		return fmt.Errorf("--skip %s contradicts --sample %d before it: a sample is of all records", text, s.Size)
	case err != nil:
		return err
	case wrong != nil || n < 0:
		return fmt.Errorf("%q is not a number of groups or records: it must be at least 0", text)
	}
	if err := q.once(&q.skipped, fmt.Sprintf("--skip %d", n), "the same rows are left out once"); err != nil {
		return err
	}
	*skip = n
	return nil
}
