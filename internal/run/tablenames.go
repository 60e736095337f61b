package run

import (
	"context"
	"os"

	"github.com/thresh-dev/thresh/internal/table/query"
)

// inputNames is the names of inputs, of which those after the present one can be looked at ahead.
type inputNames struct {
	next    func() (string, error, bool)
	waiting []inputName
}

type inputName struct {
	name string
	err  error
}

func (n *inputNames) take() (string, error, bool) {
	if len(n.waiting) == 0 {
		return n.next()
	}
	first := n.waiting[0]
	n.waiting = n.waiting[1:]
	return first.name, first.err, true
}

// ahead returns all names that are still to come.
func (n *inputNames) ahead() []inputName {
	for name, err, ok := n.next(); ok; name, err, ok = n.next() {
		n.waiting = append(n.waiting, inputName{name, err})
	}
	return n.waiting
}

// headers returns the headers of inputs that can be read twice. What is wrong with one is told when its turn comes.
func (t *tableRun) headers(ctx context.Context, names []inputName, v Callbacks) (all [][]string) {
	for _, one := range names {
		info, err := os.Stat(one.name)
		if one.err != nil || one.name == "-" || err == nil && !info.Mode().IsRegular() {
			continue
		}
		in, err := v.Open(one.name)
		if err != nil {
			continue
		}
		if span, err := t.options.span(in.file); err == nil && !in.comesOnce() {
			_ = in.head(ctx, span, query.FirstBytesMax, t.options.MemoryBytes, func(b []byte, ended bool) (bool, error) {
				names, ok, err := t.run.ReadHeader(b, ended)
				if ok && err == nil {
					all = append(all, names)
				}
				return ok, err
			})
		}
		_ = in.Close() // only read from, so an error loses nothing
	}
	return all
}
