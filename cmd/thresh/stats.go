package main

import (
	"fmt"
	"strconv"

	"github.com/thresh-dev/thresh"
)

// statsJSON is the JSON of one input. Numbers are exact as far as the type is; what there
// is none of, as the least of no values, is null.
type statsJSON struct {
	File     jsonText `json:"file"`
	Count    int64    `json:"count"`
	NaN      int64    `json:"nan"`
	Min      number   `json:"min"`
	Max      number   `json:"max"`
	Sum      number   `json:"sum"`
	Mean     number   `json:"mean"`
	Complete *bool    `json:"complete,omitempty"` // only where it is false
}

// stats prints statistics: a line for each figure of one input, and a line for each of
// several inputs.
func (o *countOutput) stats(name string, r thresh.Report, withName bool) error {
	s := r.Stats
	switch {
	case o.flags.json:
		o.json(statsJSON{jsonText(name), s.N, s.NaN,
			number(s.Min), number(s.Max), number(s.Sum), number(s.Mean), incomplete(r)})
	case withName:
		const line = "%*s %8s %22s %22s %24s %22s %s\n"
		if !o.headerPrinted {
			o.headerPrinted = true
			o.print(fmt.Sprintf(line, countColumns, "n", "nan", "min", "max", "sum", "mean", "file"))
		}
		o.print(fmt.Sprintf(line, countColumns, strconv.FormatInt(s.N, 10), strconv.FormatInt(s.NaN, 10),
			orDash(s.Min), orDash(s.Max), orDash(s.Sum), orDash(s.Mean), name))
	default:
		o.print(fmt.Sprintf("n    %d\nnan  %d\nmin  %s\nmax  %s\nsum  %s\nmean %s\n",
			s.N, s.NaN, orDash(s.Min), orDash(s.Max), orDash(s.Sum), orDash(s.Mean)))
	}
	return o.err
}

// dash stands for a figure that there is none of.
func orDash(figure string) string {
	if figure == "" {
		return "-"
	}
	return figure
}
