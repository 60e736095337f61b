package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/thresh-dev/thresh"
)

// questions holds the questions, in the order of the command line.
type questions struct {
	list    []thresh.Question
	ordered map[int]string // the flag that orders the groups, by index of the question
	wanted  map[int]string // --having, by index of the question
	limited map[int]string // --limit, by index of the question
	seeded  map[int]string // --seed, by index of the question
}

func (q *questions) add(flags *pflag.FlagSet) {
	on := func(name, usage, kind string, set func(text string) error) {
		flags.Var(&orderedFlag{set: set, kind: kind}, name, usage)
	}
	flags.VarPF(&orderedFlag{set: func(text string) error {
		if text == "true" {
			q.list = append(q.list, &thresh.RecordCount{})
		}
		return nil
	}, kind: "bool"}, "rows", "", "print the number of records").NoOptDefVal = "true"
	flags.VarPF(&orderedFlag{set: func(text string) error {
		if text == "true" {
			q.list = append(q.list, &thresh.Columns{})
		}
		return nil
	}, kind: "bool"}, "columns", "",
		"describe each column: type, empty fields, different values, min, max, widest").NoOptDefVal = "true"
	on("nth", "print these columns of these records, counted from 0: 0,432,10-20:8,name", "R,...:COLUMN,...", q.nth)
	on("select", "print these columns of the records, in file order; * is all of them", "COLUMN,...", q.choose)
	on("sample",
		"print N of the records, chosen at random, in file order; with --select these columns of them", "N", q.sample)
	on("seed", "choose another --sample: the same `N` chooses the same records (default 0)", "N", q.seed)
	on("group", "group by these keys, and count or aggregate each group", "KEY,...", func(text string) error {
		if text == "" {
			return errors.New("it is empty: name a column")
		}
		q.list = append(q.list, &thresh.Groups{Keys: text})
		return nil
	})
	on("agg", "aggregates of each group: count sum(c) min(c) max(c) mean(c) distinct(c) p50(c) ... (default count)",
		"LIST", q.agg)
	on("top", "print the N most common keys and how often they occur", "N:KEY", q.top)
	on("having", "print only the groups for which EXPR is true: count > 10 and sum(amount) < 0", "EXPR", q.having)
	on("sort", "sort the groups by key (default), by value (the first aggregate) or by any column of the answer; "+
		"asc or desc after it", "COLUMN", q.sort)
	on("top-by", "sort the groups by this aggregate, greatest first", "AGG", q.topBy)
	on("limit", "print only the first N groups or records", "N", q.limit)
}

// orderedFlag is a flag that may be repeated, and whose place among the other flags matters: it
// calls set as the command line is parsed.
type orderedFlag struct {
	set  func(text string) error
	kind string
}

func (a *orderedFlag) Set(text string) error { return a.set(text) }
func (a *orderedFlag) String() string        { return "" }
func (a *orderedFlag) Type() string          { return a.kind }

// errNoGroup is the error of --sort, --top-by or --limit without a --group before it.
var errNoGroup = errors.New("it applies to the --group before it, and there is none: put it after a --group")

// errNothingToLimit is the error of --limit without anything before it that can be limited.
var errNothingToLimit = errors.New("it applies to the --group or --select before it, and there is none: " +
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
			if s.Limit > 0 {
				return fmt.Errorf("--sample %d contradicts --limit %d before it: each says how many records", n, s.Limit)
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
			return "--select prints records while they are read"
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

// splitList splits a list of columns at its commas, except those in quotes or backquotes.
func splitList(list string) (parts []string) {
	quote, from := byte(0), 0
	for i := range len(list) {
		switch c := list[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '`':
			quote = c
		case c == ',':
			parts = append(parts, list[from:i])
			from = i + 1
		}
	}
	return append(parts, list[from:])
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

// top parses the value of --top, "10:KEY".
func (q *questions) top(text string) error {
	number, key, ok := strings.Cut(text, ":")
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if !ok || err != nil || n < 1 || key == "" {
		return errors.New("write N:KEY, like 10:country")
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
	last, err := q.lastGroup()
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return errors.New("it is empty: name a column of the answer, like key, value or sum(amount)")
	}
	if err := q.order("--sort " + text); err != nil {
		return err
	}
	if last.OrderBy = text; text == thresh.ByKey {
		last.OrderBy = ""
	}
	return nil
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
	var top *thresh.TopKeys
	var records *thresh.Select
	if n := len(q.list); n > 0 {
		top, _ = q.list[n-1].(*thresh.TopKeys)
		records, _ = q.list[n-1].(*thresh.Select)
	}
	last, err := q.lastGroup()
	if s := q.sampled(); s != nil {
		return fmt.Errorf("--limit %s contradicts --sample %d before it: each says how many records", text, s.Size)
	}
	if err != nil && top == nil && records == nil {
		return errNothingToLimit
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is not a number of groups or records: it must be at least 1", text)
	}
	if top != nil {
		return fmt.Errorf("--limit %d contradicts --top %d:%s before it, which already gives the number",
			n, top.Limit, top.Keys)
	}
	if err := q.once(&q.limited, fmt.Sprintf("--limit %d", n), "there can be only one limit"); err != nil {
		return err
	}
	if records != nil {
		records.Limit = n
	} else {
		last.Limit = n
	}
	return nil
}
