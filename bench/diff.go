package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// diff prints how the ratios of report b stand to those of report a: each row's median in both,
// with its spread, and their quotient. Ratios of two machines may be compared with care, seconds
// never; so no rate is printed.
func diff(w io.Writer, a, b *report) error {
	for i, r := range []*report{a, b} {
		fmt.Fprintf(w, "%c  %s  %s, %s processors, %s, %s\n", 'A'+i, r.Date.UTC().Format("2006-01-02"),
			r.Machine["model"], r.Machine["processors"], r.Machine["kernel"], r.Peers["thresh"])
	}
	fmt.Fprintln(w)
	olds, order := keyed(a)
	news, newOrder := keyed(b)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "case\tpeer\tof what\tA\tlow..high\tB\tlow..high\tB/A\tlow..high\t")
	for _, key := range order {
		x, y := olds[key], news[key]
		if _, both := news[key]; !both {
			continue
		}
		q := quotient(x.Number, y.Number)
		fmt.Fprintf(t, "%s\t%s\t%s\t%.2f\t%.2f..%.2f\t%.2f\t%.2f..%.2f\t%s\t%s\t%s\n", x.Case, x.Peer, x.What,
			x.Number.Median, x.Number.Low, x.Number.High, y.Number.Median, y.Number.Low, y.Number.High,
			two(q.Median), two(q.Low)+".."+two(q.High), change(x.What, q))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var err error
	for _, key := range order {
		if _, both := news[key]; !both {
			_, err = fmt.Fprintf(w, "only in A: %s, %s\n", olds[key].Case, olds[key].Peer)
		}
	}
	for _, key := range newOrder {
		if _, both := olds[key]; !both {
			_, err = fmt.Fprintf(w, "only in B: %s, %s\n", news[key].Case, news[key].Peer)
		}
	}
	return err
}

// keyed returns the rows of a report by a key that is the same in all reports, and the keys in
// order. Rows of one case and peer are told apart by their order.
func keyed(r *report) (rows map[string]row, order []string) {
	rows = map[string]row{}
	for _, row := range r.Rows {
		key := row.Case + "\x00" + row.Peer + "\x00" + row.What
		for _, twice := rows[key]; twice; _, twice = rows[key] {
			key += "\x00"
		}
		rows[key] = row
		order = append(order, key)
	}
	return rows, order
}

// quotient returns new/old. Its spread is the widest that the rounds of both allow, so a change
// outside of it is more than noise.
func quotient(old, new summary) summary {
	return summary{
		Median: new.Median / old.Median, Low: new.Low / old.High, High: new.High / old.Low,
		Rounds: min(old.Rounds, new.Rounds),
	}
}

// two prints a quotient. Those of numbers that may be zero or negative have no meaning.
func two(q float64) string {
	if q > 0 && q < 1e6 {
		return fmt.Sprintf("%.2f", q)
	}
	return "-"
}

// change says in a word what a quotient means: nothing while 1 is within its spread.
func change(what string, q summary) string {
	switch {
	case !(q.Low > 0), q.Low <= 1 && 1 <= q.High:
		return ""
	case q.Low > 1 == moreIsBetter(what):
		return "better"
	}
	return "WORSE"
}

// moreIsBetter reports whether a row of that kind is better the higher its number is: rates are,
// times, costs and memory are not.
func moreIsBetter(what string) bool { return what == timesItsRate || what == timesItsRequests }
