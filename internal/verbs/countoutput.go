package verbs

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/question"
)

// countOutput prints numbers as wc does, or as JSON lines.
type countOutput struct {
	*command.Output
	flags         *countFlags
	headerPrinted bool         // the header of the CSV has been printed
	err           error        // the first write error
	tensor        *namedTensor // what the next count is of; nil for a whole input
}

// count prints the count of one input.
func (o *countOutput) count(name string, r answer.Report, withName bool) error {
	switch {
	case o.flags.Quiet:
	case r.Histogram != nil:
		return o.histogram(name, r, withName)
	case r.Stats != nil:
		return o.stats(name, r, withName)
	case o.flags.textCounts() > 1:
		return o.text(name, r, withName)
	case o.flags.JSON:
		o.line(countJSON{command.Text(o.fileOf(name)), o.tensorJSON(), r.Hits, incomplete(r)})
	case withName:
		o.print(fmt.Sprintf("%*d %s\n", countColumns, r.Hits, name))
	case command.IsTerminal(o.OS()):
		o.print(o.flags.thing(r.Hits) + "\n")
	default:
		o.print(fmt.Sprintf("%d\n", r.Hits))
	}
	return o.err
}

// thing returns a number with what was counted, for a person at a terminal.
func (f *countFlags) thing(n int64) string {
	switch {
	case f.lines:
		return numeral.Count(n, "line")
	case f.words:
		return numeral.Count(n, "word")
	case f.chars:
		return numeral.Count(n, "character")
	case f.rows:
		return numeral.Count(n, "record")
	case f.nonzero:
		return numeral.Count(n, "byte") + " not 0"
	case f.typ != "":
		return numeral.Count(n, f.typ+" value")
	case n == 1:
		return "1 match"
	}
	return fmt.Sprintf("%d matches", n)
}

// countColumns is the width of numbers before names: wide enough for most to line up.
const countColumns = 12

// countJSON is the JSON line of one input.
type countJSON struct {
	File command.Text `json:"file"`
	tensorJSON
	Count    int64 `json:"count"`
	Complete *bool `json:"complete,omitempty"` // omitted if true
}

// tensorJSON is what a JSON line says about a tensor; empty for other inputs.
type tensorJSON struct {
	Tensor *command.Text      `json:"tensor,omitempty"`
	Type   question.ValueType `json:"type,omitempty"`
	Shape  []int64            `json:"shape,omitempty"`
}

func (o *countOutput) tensorJSON() tensorJSON {
	if o.tensor == nil {
		return tensorJSON{}
	}
	t := tensorJSON{Type: o.tensor.typ, Shape: o.tensor.Shape}
	if name := command.Text(o.tensor.Tensor.Name); name != "" {
		t.Tensor = &name
	}
	return t
}

// fileOf returns the name of the input, without that of the tensor.
func (o *countOutput) fileOf(name string) string {
	if o.tensor != nil {
		return o.tensor.file
	}
	return name
}

// incomplete returns a pointer to false for an incomplete report, nil (omitted) otherwise.
func incomplete(r answer.Report) *bool {
	if r.Complete {
		return nil
	}
	return new(bool)
}

// end prints the total, or the JSON summary, and flushes.
func (o *countOutput) end(total answer.Report, withTotal, complete bool) error {
	switch {
	case o.flags.Quiet:
	case o.flags.textCounts() > 1 && (o.flags.JSON || withTotal):
		return errors.Join(o.textEnd(total, complete), o.Flush())
	case o.flags.JSON:
		o.line(map[string]any{"summary": countSummary{total.Hits, total.Bytes, complete}})
	case withTotal && total.Histogram != nil:
		return errors.Join(o.histogram("total", total, true), o.Flush())
	case withTotal && total.Stats != nil:
		return errors.Join(o.stats("total", total, true), o.Flush())
	case withTotal && command.IsTerminal(o.OS()):
		_, things, _ := strings.Cut(o.flags.thing(total.Hits), " ")
		o.print(fmt.Sprintf("%*d total (%s)\n", countColumns, total.Hits, things))
	case withTotal:
		o.print(fmt.Sprintf("%*d total\n", countColumns, total.Hits))
	}
	return errors.Join(o.err, o.Flush())
}

// countSummary is the last line of the JSON output.
type countSummary struct {
	Count    int64 `json:"count"`
	Bytes    int64 `json:"bytes"`
	Complete bool  `json:"complete"`
}

func (o *countOutput) print(s string) {
	if _, err := o.WriteString(s); o.err == nil {
		o.err = err
	}
}

// line prints v as a line of JSON.
func (o *countOutput) line(v any) { o.err = cmp.Or(o.err, o.JSON(v)) }

// textCountsJSON holds those of --lines, --words and --chars that were asked for.
type textCountsJSON struct {
	Lines *int64 `json:"lines,omitempty"`
	Words *int64 `json:"words,omitempty"`
	Chars *int64 `json:"chars,omitempty"`
}

func (o *countOutput) textJSON(t *answer.TextCounts) (asked textCountsJSON) {
	if o.flags.lines {
		asked.Lines = &t.Lines
	}
	if o.flags.words {
		asked.Words = &t.Words
	}
	if o.flags.chars {
		asked.Chars = &t.Chars
	}
	return asked
}

// text prints several counts of one input: in the order of wc, or by their names in JSON.
func (o *countOutput) text(name string, r answer.Report, withName bool) error {
	asked := o.textJSON(r.Text)
	if o.flags.JSON {
		o.line(struct {
			File command.Text `json:"file"`
			textCountsJSON
			Complete *bool `json:"complete,omitempty"` // omitted if true
		}{command.Text(name), asked, incomplete(r)})
		return o.err
	}
	var b strings.Builder
	things := []string{"line", "word", "character"}
	for i, n := range []*int64{asked.Lines, asked.Words, asked.Chars} {
		switch {
		case n == nil:
		case !withName && command.IsTerminal(o.OS()):
			fmt.Fprintf(&b, "%s\n", numeral.Count(*n, things[i]))
		case withName:
			fmt.Fprintf(&b, "%*d ", countColumns, *n)
		default:
			fmt.Fprintf(&b, "%d ", *n)
		}
	}
	if withName {
		b.WriteString(name)
	}
	o.print(strings.TrimRight(b.String(), " \n") + "\n")
	return o.err
}

// textEnd prints the total of several counts, or the JSON summary.
func (o *countOutput) textEnd(total answer.Report, complete bool) error {
	if total.Text == nil { // nothing could be counted
		total.Text = new(answer.TextCounts)
	}
	if !o.flags.JSON {
		return o.text("total", total, true)
	}
	o.line(map[string]any{"summary": struct {
		textCountsJSON
		Bytes    int64 `json:"bytes"`
		Complete bool  `json:"complete"`
	}{o.textJSON(total.Text), total.Bytes, complete}})
	return o.err
}

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
