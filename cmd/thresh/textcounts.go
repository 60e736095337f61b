package main

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh"
)

// textCountsJSON holds those of --lines, --words and --chars that were asked for.
type textCountsJSON struct {
	Lines *int64 `json:"lines,omitempty"`
	Words *int64 `json:"words,omitempty"`
	Chars *int64 `json:"chars,omitempty"`
}

func (o *countOutput) textJSON(t *thresh.TextCounts) (asked textCountsJSON) {
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
func (o *countOutput) text(name string, r thresh.Report, withName bool) error {
	asked := o.textJSON(r.Text)
	if o.flags.json {
		o.json(struct {
			File jsonText `json:"file"`
			textCountsJSON
			Complete *bool `json:"complete,omitempty"` // omitted if true
		}{jsonText(name), asked, incomplete(r)})
		return o.err
	}
	var b strings.Builder
	things := []string{"line", "word", "character"}
	for i, n := range []*int64{asked.Lines, asked.Words, asked.Chars} {
		switch {
		case n == nil:
		case !withName && isTerminal(o.file):
			fmt.Fprintf(&b, "%s\n", plural(*n, things[i]))
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
func (o *countOutput) textEnd(total thresh.Report, complete bool) error {
	if total.Text == nil { // nothing could be counted
		total.Text = new(thresh.TextCounts)
	}
	if !o.flags.json {
		return o.text("total", total, true)
	}
	o.json(map[string]any{"summary": struct {
		textCountsJSON
		Bytes    int64 `json:"bytes"`
		Complete bool  `json:"complete"`
	}{o.textJSON(total.Text), total.Bytes, complete}})
	return o.err
}
