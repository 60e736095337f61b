package verbs

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/numeral"
)

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
