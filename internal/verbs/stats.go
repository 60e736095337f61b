package verbs

import (
	"fmt"
	"strconv"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
)

// statsJSON is the JSON line of one input. Numbers are as exact as the type; a figure that does
// not exist, such as the minimum of no values, is null.
type statsJSON struct {
	File command.Text `json:"file"`
	tensorJSON
	Count    int64  `json:"count"`
	NaN      int64  `json:"nan"`
	Inf      int64  `json:"inf"`
	Min      number `json:"min"`
	Max      number `json:"max"`
	Sum      number `json:"sum"`
	Mean     number `json:"mean"`
	Complete *bool  `json:"complete,omitempty"` // omitted if true
}

// stats prints statistics: one line per figure for a single input, one line per input for
// several.
func (o *countOutput) stats(name string, r answer.Report, withName bool) error {
	s := r.Stats
	switch {
	case o.flags.JSON:
		o.line(statsJSON{command.Text(o.fileOf(name)), o.tensorJSON(), s.N, s.NaN, s.Inf,
			number(s.Min), number(s.Max), number(s.Sum), number(s.Mean), incomplete(r)})
	case withName:
		const line = "%*s %8s %8s %22s %22s %24s %22s %s\n"
		if !o.headerPrinted {
			o.headerPrinted = true
			o.print(fmt.Sprintf(line, countColumns, "n", "nan", "inf", "min", "max", "sum", "mean", "file"))
		}
		o.print(fmt.Sprintf(line, countColumns, strconv.FormatInt(s.N, 10), strconv.FormatInt(s.NaN, 10),
			strconv.FormatInt(s.Inf, 10), orDash(s.Min), orDash(s.Max), orDash(s.Sum), orDash(s.Mean), name))
	default:
		o.print(fmt.Sprintf("n    %d\nnan  %d\ninf  %d\nmin  %s\nmax  %s\nsum  %s\nmean %s\n",
			s.N, s.NaN, s.Inf, orDash(s.Min), orDash(s.Max), orDash(s.Sum), orDash(s.Mean)))
	}
	return o.err
}

// orDash returns the figure, or "-" if it does not exist.
func orDash(figure string) string {
	if figure == "" {
		return "-"
	}
	return figure
}
