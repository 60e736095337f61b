package flow

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// TestConcurrent asks about the same copies from several goroutines, as rules do that run at the same time.
// All get the same answers, and the race detector sees nothing.
func TestConcurrent(t *testing.T) {
	const rules = 8
	var asked atomic.Int64 // the packages are analysed at the same time, too
	several := &analysis.Analyzer{
		Name: "several", Doc: "ask at the same time", Requires: []*analysis.Analyzer{Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			p := pass.ResultOf[Analyzer].(*Program)
			answers := make([][]string, rules)
			begin := make(chan struct{})
			var group sync.WaitGroup
			for i := range answers {
				group.Go(func() {
					<-begin
					answers[i] = p.answers(pass)
				})
			}
			close(begin)
			group.Wait()
			for _, a := range answers {
				asked.Add(int64(len(a)))
				if !slices.Equal(a, answers[0]) {
					t.Errorf("%s: one rule sees %q, another %q", pass.Pkg.Path(), answers[0], a)
				}
			}
			return nil, nil
		},
	}
	analysistest.Run(t, analysistest.TestData(), several, "values", "handlers", "copies", "known")
	if n := asked.Load(); n < 100*rules {
		t.Errorf("only %d answers", n)
	}
}

// answers asks all that rules ask about the copies and the calls of show.
func (p *Program) answers(pass *analysis.Pass) (all []string) {
	add := func(values []Value) {
		all = append(all, p.text(pass.Pkg, values))
		for _, v := range values {
			if w := p.Wrapper(v); w != nil {
				all = append(all, w.String(), p.text(pass.Pkg, p.Inner(v, w.Field)))
			}
		}
	}
	for _, c := range p.Copies {
		add(p.Values(c.Dst))
		add(p.Values(c.Src))
		for _, pair := range p.Pairs(c) {
			add(pair.Dst)
			add(pair.Src)
		}
	}
	for _, call := range p.Named[pass.Pkg.Path()+".show"] {
		add(p.Values(call.Common().Args[0]))
	}
	return all
}
