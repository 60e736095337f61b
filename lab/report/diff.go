package report

import (
	"fmt"
	"io"

	"github.com/thresh-dev/thresh/lab"
)

// Diff writes how the ratios of results b stand to those of a, as text: each row's median in both, with its spread,
// and their quotient. Ratios of two machines may be compared with care, seconds never; so no rate is written.
func Diff(w io.Writer, a, b lab.Results) error {
	for i, r := range []lab.Results{a, b} {
		m := r.Machine
		fmt.Fprintf(w, "%s  %s  %s, %d processors, %s, %s\n", letter(i), day(m.Date), m.Processor, m.Processors, m.Kernel,
			m.Programs["thresh"])
	}
	fmt.Fprintln(w)
	t, only := diffTable(a, b)
	if err := t.text(w); err != nil {
		return err
	}
	var err error
	for _, line := range only {
		_, err = fmt.Fprintln(w, line)
	}
	return err
}

// diffTable has a row for each ratio of both results, and lines for those of only one.
func diffTable(a, b lab.Results) (t table, only []string) {
	t = table{Caption: "Ratios of both, and their quotient",
		Columns: columns("case|peer|of what|#A|low..high|#B|low..high|#B/A|low..high|")}
	olds, order := keyed(a)
	news, newOrder := keyed(b)
	for _, key := range order {
		x, y := olds[key], news[key]
		if _, both := news[key]; !both {
			only = append(only, fmt.Sprintf("only in A: %s, %s", x.Case, x.Peer))
			continue
		}
		q := quotient(x.Number, y.Number)
		t.Rows = append(t.Rows, tableRow{Cells: []cell{text(x.Case), text(x.Peer), text(x.What), two(x.Number.Median),
			text(rangeText(x.Number)), two(y.Number.Median), text(rangeText(y.Number)), text(quotientText(q.Median)),
			text(quotientText(q.Low) + ".." + quotientText(q.High)), text(change(x, q))}})
	}
	for _, key := range newOrder {
		if _, both := olds[key]; !both {
			only = append(only, fmt.Sprintf("only in B: %s, %s", news[key].Case, news[key].Peer))
		}
	}
	return t, only
}

// keyed returns the rows of results by a key that is the same in all results, and the keys in order. Rows of one
// case and peer are told apart by their order.
func keyed(r lab.Results) (rows map[string]lab.Row, order []string) {
	rows = map[string]lab.Row{}
	for _, row := range allRows(r) {
		key := row.Case + "\x00" + row.Peer + "\x00" + row.What
		for _, twice := rows[key]; twice; _, twice = rows[key] {
			key += "\x00"
		}
		rows[key] = row
		order = append(order, key)
	}
	return rows, order
}

// allRows returns the rows of all comparisons.
func allRows(r lab.Results) (rows []lab.Row) {
	for _, m := range r.Measurements {
		if m.Compared != nil {
			rows = append(rows, m.Compared.Rows...)
		}
	}
	return rows
}

// quotient returns new/old. Its spread is the widest that the rounds of both allow, so a change outside of it is
// more than noise.
func quotient(old, new lab.Summary) lab.Summary {
	return lab.Summary{
		Median: new.Median / old.Median, Low: new.Low / old.High, High: new.High / old.Low,
		Rounds: min(old.Rounds, new.Rounds),
	}
}

// quotientText prints a quotient. Those of numbers that may be zero or negative have no meaning.
func quotientText(q float64) string {
	if q > 0 && q < 1e6 {
		return fmt.Sprintf("%.2f", q)
	}
	return "-"
}

// change says in a word what a quotient means: nothing while 1 is within its spread.
func change(r lab.Row, q lab.Summary) string {
	switch {
	case !(q.Low > 0), q.Low <= 1 && 1 <= q.High:
		return ""
	case q.Low > 1 == r.MoreIsBetter():
		return "better"
	}
	return "WORSE"
}
