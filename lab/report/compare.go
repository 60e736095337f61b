package report

import "github.com/thresh-dev/thresh/lab"

// comparePart shows the scoreboards of several sessions side by side.
func (p *page) comparePart(e *lab.Experiment, results []lab.Results) part {
	part := makePart(e)
	part.Comparison = true
	if compares(e) {
		for i := range results[1:] {
			t, only := diffTable(results[0], results[i+1])
			part.States = append(part.States, statePart{
				Heading: letter(0) + " and " + letter(i+1), Open: i == 0, Lines: only, Tables: withRows(t)})
		}
		return part
	}
	for i, state := range states(e, results...) {
		boards := make([]board, len(results))
		letters := make([]string, len(results))
		for j, r := range results {
			boards[j], letters[j] = makeBoard(e, r, state), letter(j)
		}
		s := statePart{Heading: stateText(state), Open: i == 0}
		for j, b := range boards {
			for _, line := range b.ownLines(results[j]) {
				s.Lines = append(s.Lines, letters[j]+": "+line)
			}
		}
		s.Figures = p.addAll(groupedChart("Scoreboard, "+direction(e.Metric), letters, boards))
		s.Tables = withRows(compareTable(letters, boards))
		part.States = append(part.States, s)
	}
	part.NotRun = notRun(e, results...)
	return part
}

// compareTable has a row for each variant and size, and two columns for each session: its figure, and
// how it compares with the first session's.
func compareTable(letters []string, boards []board) table {
	e := boards[0].experiment
	t := table{Caption: "Scoreboard: each variant at its best", Columns: []column{
		{"variant", false}, {"article: " + e.Metric.Unit, true},
	}}
	for i, letter := range letters {
		t.Columns = append(t.Columns, column{letter + ": " + e.Metric.Unit, true})
		if i > 0 {
			t.Columns = append(t.Columns, column{letter + " ÷ " + letters[0], true})
		}
		t.Columns = append(t.Columns, column{letter + ": at", false}, column{letter + ": notes", false})
	}
	for _, rows := range sideBySide(boards) {
		line := tableRow{}
		first := 0.0
		for _, r := range rows {
			if r != nil && len(line.Cells) == 0 {
				published := cell{}
				if r.published != nil {
					published = value(r.published.Value)
				}
				line.Cells = []cell{{Text: r.fullName(), Small: r.variant.What}, published}
				line.Class = r.class()
			}
		}
		for i, r := range rows {
			ours, ratio, at, note := cell{}, cell{}, cell{}, cell{}
			switch {
			case r == nil:
				note = text("not run")
			case r.best == nil:
				note = text(r.note)
			default:
				ours, at, note = value(r.figure.Value), text(scaleText(r.best.Setting)), text(r.note)
				if i == 0 {
					first = r.figure.Value
				} else if first != 0 {
					ratio = times(r.figure.Value / first)
				}
			}
			line.Cells = append(line.Cells, ours)
			if i > 0 {
				line.Cells = append(line.Cells, ratio)
			}
			line.Cells = append(line.Cells, at, note)
		}
		t.Rows = append(t.Rows, line)
	}
	return t.compact()
}
