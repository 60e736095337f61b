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
	limited map[int]string // --limit, by index of the question
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
	on("nth", "print these columns of these records, counted from 0: 0,432:8,name", "R,...:COLUMN,...", q.nth)
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
	on("sort", "sort the groups by key (default), or by value: the first aggregate, greatest first", "key|value", q.sort)
	on("top-by", "sort the groups by this aggregate, greatest first", "AGG", q.topBy)
	on("limit", "print only the first N groups", "N", q.limit)
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
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("%q is not a record number: records are counted from 0", number)
		}
		ask.Numbers = append(ask.Numbers, n)
	}
	q.list = append(q.list, ask)
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

func (q *questions) sort(text string) error {
	last, err := q.lastGroup()
	if err != nil {
		return err
	}
	if text != "key" && text != "value" {
		return errors.New("it is unknown (known: key, value); --top-by sorts by any aggregate")
	}
	if err := q.order("--sort " + text); err != nil {
		return err
	}
	if text == "value" {
		last.OrderBy = thresh.ByValue
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
	last.OrderBy = text
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
	if n := len(q.list); n > 0 {
		top, _ = q.list[n-1].(*thresh.TopKeys)
	}
	last, err := q.lastGroup()
	if err != nil && top == nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is not a number of groups: it must be at least 1", text)
	}
	if top != nil {
		return fmt.Errorf("--limit %d contradicts --top %d:%s before it, which already gives the number",
			n, top.Limit, top.Keys)
	}
	if err := q.once(&q.limited, fmt.Sprintf("--limit %d", n), "the same groups can have only one limit"); err != nil {
		return err
	}
	last.Limit = n
	return nil
}
