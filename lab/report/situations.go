package report

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/lab"
)

// situationTables returns the two tables of situations, without rows: the verdicts, and every way's seconds by
// question.
func situationTables() (choices, ways table) {
	rule := fmt.Sprintf("right if it takes at most %.2f of the best's time", lab.AutoTarget.AtMost)
	choices = table{Caption: "thresh's choice beside each way forced: " + rule, Columns: columns(
		"situation|input|questions|#auto s|best forced|#its s|#auto / best|low..high|#of fastest|#processor|verdict")}
	ways = table{Caption: "Each way's seconds", Columns: columns(
		"situation|way|seconds by question|#total|low..high|#processor s|cached before, after each|auto / peer")}
	return choices, ways
}

func situationName(m *lab.Measurement) cell {
	_, name, _ := strings.Cut(m.Variant, "/")
	return text(name)
}

// seconds is a time with four digits after the point.
func seconds(v float64) cell {
	c := value(v)
	c.Text = fmt.Sprintf("%.4f", v)
	return c
}

func choiceRow(m *lab.Measurement, s *lab.Situation) tableRow {
	return tableRow{Cells: []cell{situationName(m), text(situationInput(s)), text(repeated(s.Asks)),
		seconds(s.Ways[0].Total.Median), text(s.Best), seconds(s.BestWay().Total.Median), two(s.Ratio.Median),
		text(rangeText(s.Ratio)), two(s.Least), two(s.CPU), text(s.Verdict(m))}}
}

// wayColumns is how many columns the table of ways has.
const wayColumns = 8

func wayRows(m *lab.Measurement, s *lab.Situation) (rows []tableRow) {
	for _, w := range s.Ways {
		cells := []cell{situationName(m), text(w.Name)}
		if w.Not != "" {
			cells = append(cells, text("not measured: "+w.Not))
			rows = append(rows, tableRow{Cells: append(cells, make([]cell, wayColumns-len(cells))...)})
			continue
		}
		var laps []string
		for _, lap := range w.Laps {
			laps = append(laps, fmt.Sprintf("%.4f", lap.Median))
		}
		rows = append(rows, tableRow{Cells: append(cells, text(strings.Join(laps, ", ")), seconds(w.Total.Median),
			text(fmt.Sprintf("%.4f..%.4f", w.Total.Low, w.Total.High)), seconds(w.CPU.Median),
			text(cachedParts(s.Before, w.After)), text(byPeer(w)))})
	}
	return rows
}

// situationInput describes the files and what surrounds the questions.
func situationInput(s *lab.Situation) string {
	parts := []string{bytesize.Decimal(s.Bytes) + " " + s.Lie}
	if s.Files > 1 {
		parts[0] = fmt.Sprintf("%d files, %s", s.Files, parts[0])
	}
	for _, more := range []string{s.Limit, s.Beside} {
		if more != "" {
			parts = append(parts, more)
		}
	}
	return strings.Join(parts, "; ")
}

func byPeer(w lab.Way) string {
	if w.Ratio == nil {
		return ""
	}
	met := map[bool]string{true: lab.Met, false: lab.Missed}[lab.PeerTarget.Met(w.Ratio.Median)]
	return fmt.Sprintf("%.2f (%s), %s: %s", w.Ratio.Median, rangeText(*w.Ratio), lab.PeerTarget, met)
}

// cachedParts shows the cached part of the input before the first and after each question.
func cachedParts(before float64, after []float64) string {
	out := []string{fmt.Sprintf("%.0f", 100*before)}
	for _, part := range after {
		out = append(out, fmt.Sprintf("%.0f", 100*part))
	}
	return strings.Join(out, ", ") + " %"
}

// repeated lists questions, with a number for those that repeat.
func repeated(asks []string) string {
	var out []string
	for i := 0; i < len(asks); {
		n := 1
		for i+n < len(asks) && asks[i+n] == asks[i] {
			n++
		}
		text := asks[i]
		if n > 1 {
			text = fmt.Sprintf("%d times %s", n, text)
		}
		out = append(out, text)
		i += n
	}
	return strings.Join(out, ", ")
}
