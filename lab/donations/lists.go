package donations

import (
	"regexp"
	"strings"
)

// lists are what revisions 0 to 8 collect of all lines.
type lists struct {
	names, firstNames, dates []string

	answer Answer // only Names, from the rows that are asked for
}

// append adds an entry.
func (l *lists) append(e entry) {
	if e.firstName != "" {
		l.firstNames = append(l.firstNames, e.firstName)
	}
	l.names = append(l.names, e.name)
	l.dates = append(l.dates, e.date)
}

// keepRows keeps the names of the rows that are asked for. The entries begin in that row.
func (l *lists) keepRows(row int, entries []entry) {
	for i, asked := range Rows {
		if at := asked - row; at >= 0 && at < len(entries) {
			l.answer.Names[i] = entries[at].name
		}
	}
}

// count makes the answer of the lists, after they were collected.
func (l *lists) count() Answer {
	c := newCounts()
	for _, date := range l.dates {
		c.byDate[date]++
	}
	for _, name := range l.firstNames {
		c.addFirstName(name)
	}
	return c.result(int64(len(l.names)), l.answer.Names)
}

// counts are what revisions 5 to 8 count while they collect.
type counts struct {
	byDate, byName map[string]int64
	answer         Answer // only First and FirstCount
}

func newCounts() *counts {
	return &counts{byDate: map[string]int64{}, byName: map[string]int64{}}
}

func (c *counts) addFirstName(name string) {
	n := c.byName[name] + 1
	c.byName[name] = n
	if n > c.answer.FirstCount {
		c.answer.First, c.answer.FirstCount = name, n
	}
}

// count adds an entry.
func (c *counts) count(e entry) {
	if e.firstName != "" {
		c.addFirstName(e.firstName)
	}
	c.byDate[e.date]++
}

func (c *counts) result(lines int64, names [3]string) Answer {
	a := c.answer
	a.Lines, a.Names, a.Months = lines, names, map[string]int64{}
	for date, n := range c.byDate {
		a.Months[strings.ReplaceAll(date, "-", "")] = n
	}
	return a
}

var (
	capturing = regexp.MustCompile(`, \s*([^, ]+)`)
	matching  = regexp.MustCompile(`, \s*[^, ]+`)
)

// capturedFirstName is how revisions 0 to 6 find the first name.
func capturedFirstName(name string) string {
	if found := capturing.FindAllStringSubmatch(name, 1); len(found) > 0 {
		return found[0][1]
	}
	return ""
}
