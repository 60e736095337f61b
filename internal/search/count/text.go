package count

import (
	"fmt"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/words"
	"github.com/thresh-dev/thresh/internal/scan"
)

// Words returns a counter of words, as package words defines them. Unreadable bytes are assumed not
// to separate words.
func Words() *Counter { return text(func(t *answer.TextCounts) int64 { return t.Words }) }

// Chars returns a counter of UTF-8 characters.
func Chars() *Counter { return text(func(t *answer.TextCounts) int64 { return t.Chars }) }

// LinesWordsChars returns a counter of lines, as Lines counts them, that also counts words and
// characters.
func LinesWordsChars() *Counter { return text(func(t *answer.TextCounts) int64 { return t.Lines }) }

// text returns a counter of lines, words and characters, with one of them as the count.
func text(number func(*answer.TextCounts) int64) *Counter {
	best := words.Best()
	return &Counter{
		Traits: scan.Traits{Kernel: fmt.Sprintf("words %v", best.ISA),
			Ahead: words.ContextBytes, SkipHoles: true, Text: true},
		speed: func(b []byte) { best.Summarize(b) },
		begin: func(*Run) func() partial {
			order := scan.NewOrder[words.Summary]()
			return func() partial { return &summarized{kernel: best, order: order} }
		},
		finish: func(r *Result) {
			var whole words.Summary
			if r.text != nil {
				for _, s := range r.text.order.Stretches() {
					whole = whole.Then(s)
				}
			}
			r.Text = &answer.TextCounts{Lines: whole.Lines, Words: whole.Words(false), Chars: whole.Chars}
			if r.last.end > 0 && r.last.value != '\n' {
				r.Text.Lines++
			}
			r.Count = number(r.Text)
		},
	}
}

// summarized summarizes blocks of text. The summaries of all workers go into one order.
type summarized struct {
	kernel words.Kernel
	order  *scan.Order[words.Summary]
	last   lastByte
}

func (t *summarized) add(b engine.Block) {
	last := lastOf(b)
	s := t.kernel.Summarize(b.Data[:b.Len+words.Boundary(b.Data[b.Len:])])
	t.order.Add(source.Range{Off: b.Off, End: last.end}, s)
	t.last.see(last)
}

func (t *summarized) hole(r source.Range) {
	t.order.Add(r, words.Zeros(r.Len()))
	t.last.see(lastByte{end: r.End})
}

func (t *summarized) sum(into *Result) error {
	into.text = t
	into.last.see(t.last)
	return nil
}
