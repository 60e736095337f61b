package encode

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/thresh-dev/thresh/internal/output/charts"
)

// histogram is a cell of the aggregate hist: how many numbers are in each of some bins of the same width.
type histogram struct {
	From, To json.Number
	Counts   []int64
}

// histogramOf returns the histogram that a text is; ok is false if it is none.
func histogramOf(text []byte) (h histogram, ok bool) {
	ok = len(text) > 0 && text[0] == '{' && json.Unmarshal(text, &h) == nil // numbers are many, and histograms few
	return h, ok && len(h.Counts) > 0
}

// append appends the histogram as a bar for each bin, between the least and the greatest number.
func (h *histogram) append(b []byte, ascii bool) []byte {
	levels := []rune("▁▂▃▄▅▆▇█")
	if ascii {
		levels = []rune("_.-=+*%#")
	}
	most := slices.Max(h.Counts)
	b = append(append(b, h.From...), ' ')
	for _, n := range h.Counts {
		bar := ' '
		if n > 0 {
			bar = levels[int(float64(n)/float64(most)*float64(len(levels)-1)+1.0/2)]
		}
		b = append(b, string(bar)...)
	}
	return append(append(b, ' '), h.To...)
}

// columns returns where the bins begin, and the counts.
func (h *histogram) columns(name string) []charts.Column {
	from, err := h.From.Float64()
	to, err2 := h.To.Float64()
	if err != nil || err2 != nil {
		return nil
	}
	columns := []charts.Column{{Name: name}, {Name: "count", Typed: true}}
	for i, n := range h.Counts {
		begin := from + (to-from)*float64(i)/float64(len(h.Counts))
		columns[0].Cells = append(columns[0].Cells, charts.Cell{Text: strconv.FormatFloat(begin, 'g', -1, 64), Number: begin})
		columns[1].Cells = append(columns[1].Cells, charts.Cell{Text: strconv.FormatInt(n, 10), Number: float64(n)})
	}
	return columns
}
