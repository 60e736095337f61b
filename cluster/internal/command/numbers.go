package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/thresh-dev/thresh/cluster"
	"github.com/thresh-dev/thresh/internal/run"
)

// numbers prints counts, statistics or histograms.
func (p *printer) numbers(a *cluster.Answer, to io.Writer) error {
	w := newLines(to)
	if p.several {
		for i := range a.Inputs {
			if err := p.number(w, a.Question, a.Inputs[i].Name, &a.Inputs[i].Report); err != nil {
				return err
			}
		}
	}
	name := ""
	switch {
	case p.json && !p.several:
		name = a.Inputs[0].Name
	case !p.json && p.several && a.Total.Stats == nil && a.Total.Histogram == nil:
		name = "total"
	}
	if err := p.number(w, a.Question, name, &a.Total); err != nil {
		return err
	}
	return w.end(true)
}

// number prints the number of an input. In JSON the name of the total is empty.
func (p *printer) number(w *lines, q *cluster.Question, name string, r *run.Report) error {
	switch {
	case p.json:
		return w.object(numberJSON(q, name, r))
	case r.Stats != nil:
		return w.printf("%sn=%d nan=%d inf=%d min=%s max=%s sum=%s mean=%s\n", label(name), r.Stats.N, r.Stats.NaN,
			r.Stats.Inf, r.Stats.Min, r.Stats.Max, r.Stats.Sum, r.Stats.Mean)
	case r.Histogram != nil:
		return w.bins(name, r.Histogram)
	}
	numbers := []int64{r.Hits}
	if q.Sizes() > 1 {
		numbers = nil
		for _, s := range sizes(q, r) {
			numbers = append(numbers, s.n)
		}
	}
	text := strings.Trim(fmt.Sprint(numbers), "[]")
	if name != "" {
		text += " " + name
	}
	return w.printf("%s\n", text)
}

func numberJSON(q *cluster.Question, name string, r *run.Report) map[string]any {
	o := map[string]any{"file": name, "count": r.Hits}
	if name == "" {
		o = map[string]any{"total": r.Hits}
	}
	if r.Stats != nil {
		o["stats"] = r.Stats
	}
	if r.Histogram != nil {
		o["histogram"] = r.Histogram
	}
	if q.Sizes() > 1 {
		delete(o, "count")
		named := o
		if name == "" {
			named = map[string]any{}
			o["total"] = named
		}
		for _, s := range sizes(q, r) {
			named[s.name] = s.n
		}
	}
	return o
}

// size is one of the sizes of a text.
type size struct {
	name string
	n    int64
}

// sizes returns the sizes that a question asks for, in the order of wc.
func sizes(q *cluster.Question, r *run.Report) (asked []size) {
	if q.Lines {
		asked = append(asked, size{"lines", r.Text.Lines})
	}
	if q.Words {
		asked = append(asked, size{"words", r.Text.Words})
	}
	if q.Chars {
		asked = append(asked, size{"chars", r.Text.Chars})
	}
	return asked
}

func label(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}
