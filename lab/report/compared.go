package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/thresh-dev/thresh/lab"
)

// compares reports whether an experiment's variants are comparisons.
func compares(e *lab.Experiment) bool { return len(e.Variants) > 0 && e.Variants[0].Compare != nil }

// Compared writes what an experiment's comparisons gave as text: their tables, then what is to be known about them.
func Compared(w io.Writer, e *lab.Experiment, r lab.Results) error {
	for _, t := range comparedTables(e, r, false) {
		if err := t.text(w); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, strings.Join(append(comparedLines(e, r, false), ""), "\n"))
	return err
}

// text writes a table with aligned columns.
func (t table) text(w io.Writer) error {
	aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	fmt.Fprintln(aligned, strings.Join(names, "\t"))
	for _, row := range t.Rows {
		var cells []string
		for _, c := range row.Cells {
			cells = append(cells, c.plain())
		}
		fmt.Fprintln(aligned, strings.Join(cells, "\t"))
	}
	fmt.Fprintln(aligned)
	return aligned.Flush()
}

// comparisons returns the measurements of an experiment's comparisons.
func comparisons(e *lab.Experiment, r lab.Results) (all []*lab.Measurement) {
	for i := range r.Measurements {
		if m := &r.Measurements[i]; has(e, m.Variant) {
			all = append(all, m)
		}
	}
	return all
}

// columns returns columns of these names, with a | between them; those of numbers begin with #.
func columns(names string) (all []column) {
	for name := range strings.SplitSeq(names, "|") {
		text, numeric := strings.CutPrefix(name, "#")
		all = append(all, column{text, numeric})
	}
	return all
}

// comparedTables has the figures of comparisons. With noted, walls and notes stand beside the rows that they are of.
func comparedTables(e *lab.Experiment, r lab.Results, noted bool) []table {
	ratios := table{Caption: "thresh beside others",
		Columns: columns("case|peer|#median|low..high|#rounds|of what|target|verdict|#thresh GB/s|#peer GB/s")}
	if noted {
		ratios.Columns = append(ratios.Columns, column{"notes", false})
	}
	choices, ways := situationTables()
	for _, m := range comparisons(e, r) {
		if m.Compared == nil {
			continue
		}
		for _, row := range m.Compared.Rows {
			cells := []cell{text(row.Case), text(row.Peer), two(row.Number.Median),
				text(rangeText(row.Number)), text(fmt.Sprint(row.Number.Rounds)), text(row.What), text(row.Target.String()),
				text(row.Verdict(m)), rateCell(row.ThreshRate), rateCell(row.PeerRate)}
			if noted {
				cells = append(cells, cell{Text: row.Note, Small: row.Wall, Parts: row.Parts})
			}
			ratios.Rows = append(ratios.Rows, tableRow{Cells: cells})
		}
		if s := m.Compared.Situation; s != nil {
			choices.Rows = append(choices.Rows, choiceRow(m, s))
			ways.Rows = append(ways.Rows, wayRows(m, s)...)
		}
	}
	return withRows(ratios, choices, ways)
}

func rangeText(s lab.Summary) string { return fmt.Sprintf("%.2f..%.2f", s.Low, s.High) }

// two is a number with two digits after the point.
func two(v float64) cell {
	c := value(v)
	c.Text = fmt.Sprintf("%.2f", v)
	return c
}

func rateCell(gbPerSecond float64) cell {
	if gbPerSecond == 0 {
		return text("-")
	}
	return two(gbPerSecond)
}

// comparedLines says what disturbed comparisons, which walls were hit, what is to be known about rows, and what was
// not compared. With noted, walls and notes are elsewhere.
func comparedLines(e *lab.Experiment, r lab.Results, noted bool) (lines []string) {
	var walls, notes, missing []string
	counts := map[string]int{}
	for _, m := range comparisons(e, r) {
		name := strings.TrimPrefix(m.Variant, e.Name+"/")
		if others := m.Others(); others != "" {
			lines = append(lines, "disturbed "+name+": "+others)
		}
		if m.Skipped != "" {
			missing = append(missing, "skipped "+name+": "+m.Skipped)
		}
		if m.Compared == nil {
			continue
		}
		for _, why := range m.Compared.Missing {
			missing = append(missing, "skipped "+name+": "+why)
		}
		if s := m.Compared.Situation; s != nil {
			counts[s.Verdict(m)]++
		}
		last := ""
		for _, row := range m.Compared.Rows {
			counts[row.Verdict(m)]++
			if row.Wall != "" && row.Case != last {
				walls, last = append(walls, "wall "+row.Case+": "+row.Wall), row.Case
			}
			if row.Note != "" {
				notes = append(notes, "note "+row.Case+", "+row.Peer+": "+row.Note)
			}
		}
	}
	if !noted {
		lines = append(append(lines, walls...), notes...)
	}
	lines = append(lines, missing...)
	if r.Quick {
		lines = append(lines, "quick: small data and few rounds, only to try it; not to quote")
	}
	var sum []string
	verdicts := []string{lab.Met, lab.Missed, lab.Info, lab.Right, lab.Undecided, lab.WrongWay, string(lab.Unclear)}
	for _, verdict := range verdicts {
		if counts[verdict] > 0 {
			sum = append(sum, fmt.Sprintf("%d %s", counts[verdict], verdict))
		}
	}
	return append(lines, "in all: "+strings.Join(sum, ", "))
}

// speedupChart has a bar for each row that is a ratio to another program.
func speedupChart(e *lab.Experiment, r lab.Results) chart {
	c := chart{Kind: "bars", Title: "Times as fast, more is better", Unit: "times", Series: []series{{Name: "thresh"}}}
	for _, m := range comparisons(e, r) {
		if m.Compared == nil {
			continue
		}
		for _, row := range m.Compared.Rows {
			s := row.Speedup()
			if !strings.HasPrefix(row.What, "times") || !(s.Low > 0) || !finite(s.High) {
				continue
			}
			c.Categories = append(c.Categories, row.Case+", "+row.Peer)
			p := positive(s.Median, fmt.Sprintf("%.2f (%s)", s.Median, rangeText(s)))
			p.Low, p.High, p.Role = s.Low, s.High, "product"
			c.Series[0].Points, c.Notes = append(c.Series[0].Points, p), append(c.Notes, "")
		}
	}
	return c.scale()
}

// comparedPart shows an experiment's comparisons.
func (p *page) comparedPart(e *lab.Experiment, r lab.Results) part {
	part := makePart(e)
	part.States = []statePart{{Heading: "Comparisons", Open: true, Figures: p.addAll(speedupChart(e, r)),
		Tables: comparedTables(e, r, true), Lines: comparedLines(e, r, true)}}
	part.NotRun = notRun(e, r)
	return part
}
