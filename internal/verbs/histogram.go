package verbs

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
)

// histogram prints a histogram: as bars on a terminal, otherwise as CSV or JSON.
func (o *countOutput) histogram(name string, r answer.Report, withName bool) error {
	switch {
	case o.flags.JSON:
		o.line(o.histogramJSON(name, r))
	case command.IsTerminal(o.OS()):
		if withName {
			o.print(name + "\n")
		}
		columns, _, err := term.GetSize(int(o.OS().Fd()))
		if err != nil || columns < barsColumnsMin {
			columns = barsColumnsMin
		}
		o.print(bars(r.Histogram, columns))
	default:
		if !withName {
			name = ""
		}
		o.err = cmp.Or(o.err, command.Histogram(o, name, r.Histogram, !o.headerPrinted))
		o.headerPrinted = true
	}
	return o.err
}

// histogramJSON is the JSON line of one input. Edges are numbers of the type; infinities are
// text, because JSON has no infinite numbers.
type histogramJSON struct {
	File command.Text `json:"file"`
	tensorJSON
	Count    int64     `json:"count"`
	Bins     []binJSON `json:"bins"`
	Below    uint64    `json:"below,omitempty"`
	Above    uint64    `json:"above,omitempty"`
	NaN      uint64    `json:"nan,omitempty"`
	Complete *bool     `json:"complete,omitempty"` // omitted if true
}

type binJSON struct {
	Low   number `json:"low"`
	High  number `json:"high"`
	Count uint64 `json:"count"`
}

func (o *countOutput) histogramJSON(name string, r answer.Report) histogramJSON {
	h := histogramJSON{command.Text(o.fileOf(name)), o.tensorJSON(), r.Hits, []binJSON{},
		r.Histogram.Below, r.Histogram.Above, r.Histogram.NaN, incomplete(r)}
	for _, b := range r.Histogram.Bins {
		h.Bins = append(h.Bins, binJSON{number(b.Low), number(b.High), b.Count})
	}
	return h
}

// number is a number in decimal text, of any size and precision.
type number string

// MarshalJSON returns a JSON number; a string for infinities and NaN, which JSON does not have as
// numbers; and null for an empty text.
func (n number) MarshalJSON() ([]byte, error) {
	if strings.ContainsAny(string(n), "nN") { // inf, NaN
		return strconv.AppendQuote(nil, string(n)), nil
	}
	if n == "" {
		return []byte("null"), nil
	}
	return []byte(n), nil
}

const (
	barsColumnsMin = 60
	emptyRowsMax   = 3 // a longer run of empty bins is printed as one line of dots
)

// bars draws a histogram: a line for each bin with its lower edge, count and bar.
func bars(h *answer.Histogram, columns int) string {
	rows := barRows(h)
	most, labelWidth, countWidth := uint64(1), 0, 0
	for _, r := range rows {
		most = max(most, r.count)
		labelWidth = max(labelWidth, utf8.RuneCountInString(r.label))
		countWidth = max(countWidth, len(strconv.FormatUint(r.count, 10)))
	}
	room := max(columns-labelWidth-countWidth-3, 10)
	var out strings.Builder
	for i := 0; i < len(rows); i++ {
		r := rows[i]
		if empty := emptyRun(rows[i:]); empty > emptyRowsMax {
			fmt.Fprintf(&out, "%*s\n", labelWidth, "...")
			i += empty - 1
			continue
		}
		line := fmt.Sprintf("%*s %*d %s", labelWidth, r.label, countWidth, r.count, gauge(r.count, most, room))
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

// barRow is a line of a histogram on a terminal.
type barRow struct {
	label string
	count uint64
}

// barRows returns the bins and, if there are any, the values below, above and NaN.
func barRows(h *answer.Histogram) (rows []barRow) {
	outside := func(label string, n uint64) {
		if n > 0 {
			rows = append(rows, barRow{label, n})
		}
	}
	outside("below", h.Below)
	for _, b := range h.Bins {
		rows = append(rows, barRow{b.Low, b.Count})
	}
	outside("above", h.Above)
	outside("NaN", h.NaN)
	return rows
}

// emptyRun returns the number of empty rows at the front.
func emptyRun(rows []barRow) int {
	for i, r := range rows {
		if r.count > 0 {
			return i
		}
	}
	return len(rows)
}

// gauge draws a bar in eighths of a column. A count above 0 is always visible.
func gauge(n, most uint64, columns int) string {
	eighths := int(float64(n) / float64(most) * float64(columns) * 8)
	if n > 0 {
		eighths = max(eighths, 1)
	}
	if os.Getenv("TERM") == "dumb" {
		return strings.Repeat("#", (eighths+7)/8)
	}
	blocks := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		blocks += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return blocks
}
