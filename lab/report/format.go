package report

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/lab"
)

const gib = 1 << 30

// number writes a figure with three significant digits or all digits before the point.
func number(v float64) string {
	abs := math.Abs(v)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case v == math.Trunc(v) && abs < 1e15 || abs >= 99.95:
		return numeral.Grouped(int64(math.RoundToEven(v)))
	case abs >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case abs >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case abs >= 0.0001:
		return strconv.FormatFloat(v, 'f', 2-int(math.Floor(math.Log10(abs))), 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// size writes a number of bytes in binary units.
func size(bytes float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for math.Abs(bytes) >= 1024 && len(units) > 1 {
		bytes, units = bytes/1024, units[1:]
	}
	return number(bytes) + " " + units[0]
}

// settingText describes all of a setting, "" if nothing of it is set.
func settingText(s lab.Setting) string {
	parts := []string{}
	if s.State != lab.Any {
		parts = append(parts, string(s.State))
	}
	if rest := scaleText(s); rest != "" {
		parts = append(parts, rest)
	}
	if s.N != 0 {
		parts = append(parts, sizeText(s.N))
	}
	return strings.Join(parts, ", ")
}

// scaleText describes how wide a setting is.
func scaleText(s lab.Setting) string {
	parts := []string{}
	if s.Workers != 0 {
		parts = append(parts, numeral.CountGrouped(s.Workers, "worker"))
	}
	if s.Procs != 0 {
		parts = append(parts, numeral.CountGrouped(s.Procs, "processor"))
	}
	return strings.Join(parts, ", ")
}

func sizeText(n int) string { return "n = " + numeral.Grouped(n) }

// stateText names a state for a heading.
func stateText(s lab.State) string {
	switch s {
	case lab.Any:
		return "All runs"
	case lab.Warm:
		return "Warm: the input is in memory, in large folios"
	case lab.Pieces:
		return "Warm, in single pages: the input was written in pieces of 4 KiB"
	case lab.Cold:
		return "Cold: the input is on the disk"
	}
	return string(s)
}

// short cuts a text of a run, such as an answer, to what a table can show.
func short(text string) string {
	const runesMax = 80
	if runes := []rune(text); len(runes) > runesMax {
		return string(runes[:runesMax]) + "…"
	}
	return text
}

// day writes the date of a session for people, or as it is if it is none.
func day(rfc3339 string) string {
	t, err := time.Parse(time.RFC3339, rfc3339)
	if err != nil {
		return rfc3339
	}
	return t.Format("2 January 2006, 15:04 MST")
}

// symbol is what stands before a verdict's word, so that colour is not all that tells them apart.
func symbol(h lab.Holds) string {
	switch h {
	case lab.Yes:
		return "✓"
	case lab.InPart:
		return "◐"
	case lab.No:
		return "✗"
	case lab.Unclear:
		return "?"
	}
	return "–"
}

// class is the style of a verdict.
func class(h lab.Holds) string {
	switch h {
	case lab.Yes:
		return "yes"
	case lab.InPart:
		return "part"
	case lab.No:
		return "no"
	case lab.Unclear:
		return "unclear"
	}
	return "untested"
}
