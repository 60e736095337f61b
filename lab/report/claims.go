package report

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

// claimsTable has a row for each claim of the experiments, and counts the verdicts of each session.
func claimsTable(experiments []*lab.Experiment, results []lab.Results) (table, []string) {
	t := table{Caption: "Claims", Class: "claims", Columns: columns("claim|what the article says|article")}
	if len(results) == 1 {
		t.Columns = append(t.Columns, column{"here", false}, column{"verdict", false}, column{"why", false})
	} else {
		for i := range results {
			t.Columns = append(t.Columns, column{letter(i), false})
		}
	}
	counts := make([]map[lab.Holds]int, len(results))
	for i := range counts {
		counts[i] = map[lab.Holds]int{}
	}
	for _, e := range experiments {
		for _, c := range e.Claims {
			row := tableRow{ID: "claim-" + c.ID, Cells: []cell{text(c.ID), text(c.Text), text(c.Theirs)}}
			for i, r := range results {
				v := judge(c, e, r)
				counts[i][v.Holds]++
				if len(results) == 1 {
					row.Cells = append(row.Cells, text(v.Ours), cell{Verdict: v.Holds}, cell{Text: v.Why, List: v.Evidence})
				} else {
					row.Cells = append(row.Cells, cell{Verdict: v.Holds, Text: v.Ours, Small: v.Why, List: v.Evidence})
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	var lines []string
	for i, count := range counts {
		line := countText(count)
		if len(results) > 1 {
			line = letter(i) + ": " + line
		}
		lines = append(lines, line)
		if u := results[i].Unfinished; u != nil {
			lines = append(lines, u.String())
		}
	}
	return t, lines
}

// ownTable has a row for each of this project's own variants, in each state and size: by the rule of
// [lab.Experiment.Standings] it is the best of its table, as good as the best, or something stopped it.
func ownTable(experiments []*lab.Experiment, results []lab.Results) table {
	t := table{Caption: "This project's own rows", Class: "claims", Columns: columns("row|machine|figure and place|why")}
	for _, e := range experiments {
		for i, r := range results {
			for _, s := range e.Standings(r) {
				machine := cell{}
				if len(results) > 1 {
					machine = text(letter(i))
				}
				t.Rows = append(t.Rows, tableRow{Cells: []cell{text(s.Name()), machine, text(s.Figures()), text(s.Reason())}})
			}
		}
	}
	return t.compact()
}

// judge asks for the verdict of a claim. An experiment that was not run at all tests none.
func judge(c lab.Claim, e *lab.Experiment, r lab.Results) lab.Verdict {
	if len(of(e, r)) == 0 {
		return lab.Verdict{Holds: lab.Untested, Why: "The experiment was not run."}
	}
	return c.Judge(e, r)
}

func countText(count map[lab.Holds]int) string {
	var parts []string
	for _, h := range []lab.Holds{lab.Yes, lab.InPart, lab.No, lab.Unclear, lab.Untested} {
		if count[h] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[h], countWord(h, count[h])))
		}
	}
	return strings.Join(parts, ", ")
}

// countWord is a verdict after a number of claims.
func countWord(h lab.Holds, n int) string {
	switch {
	case h == lab.No && n == 1:
		return "does not hold"
	case h == lab.No:
		return "do not hold"
	case h == lab.Yes && n > 1:
		return "hold"
	case h == lab.InPart && n > 1:
		return "hold in part"
	}
	return string(h)
}
