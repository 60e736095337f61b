package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh"
)

// asking is a flag that may be given several times, each time in the order of the others.
type orderedFlag struct {
	set  func(text string) error
	kind string
}

func (a *orderedFlag) Set(text string) error { return a.set(text) }
func (a *orderedFlag) String() string        { return "" }
func (a *orderedFlag) Type() string          { return a.kind }

// errNoGroup is returned for a flag of a group that follows no group.
var errNoGroup = errors.New("it belongs to the --group before it, and there is none")

// lastGroup returns the group that a flag belongs to.
func (q *questions) lastGroup() (*thresh.Groups, error) {
	if n := len(q.list); n > 0 {
		if g, ok := q.list[n-1].(*thresh.Groups); ok {
			return g, nil
		}
	}
	return nil, errNoGroup
}

// nth reads "0,432:8,name".
func (q *questions) nth(text string) error {
	numbers, columns, ok := strings.Cut(text, ":")
	if !ok || columns == "" {
		return errors.New("which columns? write RECORDS:COLUMNS, as 0,432:8,name")
	}
	ask := &thresh.Records{Columns: splitList(columns)}
	for _, number := range strings.Split(numbers, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("%q is no number of a record; they count from 0", number)
		}
		ask.Numbers = append(ask.Numbers, n)
	}
	q.list = append(q.list, ask)
	return nil
}

// splitList cuts a list of columns at its commas, but for those in quotes.
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

// agg gives the last group its aggregates, or asks for those of all records.
func (q *questions) agg(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("which? give some, as count,sum(amount)")
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

// top reads "10:KEY".
func (q *questions) top(text string) error {
	number, key, ok := strings.Cut(text, ":")
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if !ok || err != nil || n < 1 || key == "" {
		return errors.New("write N:KEY, as 10:country")
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
		return errors.New("known: key, value; --top-by sorts by any aggregate")
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
		return errors.New("by which aggregate? write one, as sum(amount)")
	}
	if err := q.order("--top-by " + text); err != nil {
		return err
	}
	last.OrderBy = text
	return nil
}

// order takes note of the flag that orders the groups of the last question. There can be one.
func (q *questions) order(flag string) error {
	return q.once(&q.ordered, flag, "the same groups can have only one order")
}

// once takes note of a flag of the last question, and refuses another one of its kind.
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
		return fmt.Errorf("%q is no number of groups", text)
	}
	if top != nil {
		return fmt.Errorf("--limit %d contradicts --top %d:%s before it, which says how many", n, top.Limit, top.Keys)
	}
	if err := q.once(&q.limited, fmt.Sprintf("--limit %d", n), "the same groups can have only one"); err != nil {
		return err
	}
	last.Limit = n
	return nil
}
