package command

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/thresh-dev/thresh/answer"
)

// Histogram writes a line of CSV for each bin, and lines for values below, above and NaN if there are any. Lines begin
// with the name of the input unless it is empty.
func Histogram(to io.Writer, name string, h *answer.Histogram, header bool) error {
	w := csv.NewWriter(to)
	write := func(record ...string) {
		if name == "" {
			record = record[1:]
		}
		w.Write(record) // w.Error returns its error, too
	}
	outside := func(low, high string, n uint64) {
		if n > 0 {
			write(name, low, high, strconv.FormatUint(n, 10))
		}
	}
	if header {
		write("file", "low", "high", "count")
	}
	below, above := "", ""
	if n := len(h.Bins); n > 0 {
		below, above = h.Bins[0].Low, h.Bins[n-1].High
	}
	outside("", below, h.Below)
	for _, b := range h.Bins {
		write(name, b.Low, b.High, strconv.FormatUint(b.Count, 10))
	}
	outside(above, "", h.Above)
	outside("NaN", "NaN", h.NaN)
	w.Flush()
	return w.Error()
}
