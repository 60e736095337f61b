package matrix

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
)

// forest is a query over several inputs in one call, as with -r. Small files, compressed files and
// standard input take different paths.
type forest struct {
	square
	names  []string
	data   [][]byte
	stdin  *os.File
	ended  func() error // closes standard input
	hits   [][]answer.Hit
	report []answer.Report
	errs   []error
	done   int // number of inputs with an answer
}

// plant makes the inputs.
func (f *forest) plant(t *testing.T, r *rand.Rand, parts []string, border int) {
	for range 1 + r.IntN(5) {
		s := shapes[pick(r, sorted(shapes)...)]
		data := s(r, parts, []int{r.IntN(40), r.IntN(3000), r.IntN(30_000)}[r.IntN(3)], border)
		if chance(r, 60) {
			data = s(r, parts, 256<<10+r.IntN(3)-1, border) // about as much as one read takes
		}
		k := kinds[pick(r, sorted(kinds)...)]
		switch {
		case k.rare > 0 && !chance(r, k.rare):
			k = kinds["file"]
		case k.name == nil && f.stdin != nil:
			k = kinds["gzip"]
		}
		name := "-"
		if k.name != nil {
			name = k.name(t, r, data)
		} else {
			f.stdin, f.ended = k.from(t, r, data)
		}
		f.names, f.data = append(f.names, name), append(f.data, data)
	}
	f.hits, f.report, f.errs = make([][]answer.Hit, len(f.names)), make([]answer.Report, len(f.names)), make([]error, len(f.names))
}

// ask runs the query and stores the answers by input. They must come in the order of the names.
func (f *forest) ask() (total answer.Report, err error) {
	check := func(name string) error {
		if f.done == len(f.names) || name != f.names[f.done] {
			return fmt.Errorf("the answer for %s is out of order", name)
		}
		return nil
	}
	v := thresh.Callbacks{
		Stdin: f.stdin,
		Hits: func(name string, hits []answer.Hit) error {
			if err := check(name); err != nil {
				return err
			}
			f.hits[f.done] = append(f.hits[f.done], hits...)
			return nil
		},
		Done: func(name string, report answer.Report, err error) error {
			if err := check(name); err != nil {
				return err
			}
			f.report[f.done], f.errs[f.done] = report, err
			f.done++
			return nil
		},
	}
	list := func(yield func(string, error) bool) {
		for _, name := range f.names {
			if !yield(name, nil) {
				return
			}
		}
	}
	if f.find {
		_, err = thresh.FindAll(context.Background(), list, f.query, f.options, v)
	} else {
		total, err = thresh.CountAll(context.Background(), list, f.query, f.options.Scan(), v)
	}
	if err == nil && f.done < len(f.names) {
		err = fmt.Errorf("only %d of %d inputs have an answer", f.done, len(f.names))
	}
	return total, err
}

func (f *forest) end() (err error) {
	for _, name := range f.names {
		if name == "-" {
			err = errors.Join(err, f.ended())
		} else {
			err = errors.Join(err, remove(name))
		}
	}
	return err
}

// TestTrees runs random queries on several inputs at once.
func TestTrees(t *testing.T) {
	cases(t, 200, func(t *testing.T, r *rand.Rand) (err error) {
		s, err := randomSquare(r)
		if err != nil {
			return err
		}
		f := forest{square: s}
		f.options.Engine, f.options.MemoryBytes = options.EngineAuto, 0
		f.plant(t, r, s.parts, max(s.options.ChunkBytes, 8))
		defer func() { err = errors.Join(err, f.end()) }()
		f.options.ChunkBytes = max(f.options.ChunkBytes, 1000)
		total, err := f.ask()
		var tooMany bool
		var sum int64
		for i, data := range f.data[:f.done] {
			one := f.square
			one.data, one.kind, one.shape = data, f.names[i], "several inputs"
			span, _ := one.span(data)
			tooMany = tooMany || f.refused != nil && f.refused(span)
			if judged := one.judge(f.hits[i], &f.report[i], f.errs[i], true); judged != nil && !tooMany {
				return fmt.Errorf("%v\n%w", &one, judged)
			}
			sum += f.report[i].Hits
		}
		switch {
		case tooMany || err != nil && f.refused != nil: // all files together may be too wide as well
			return nil
		case err != nil || f.find:
			return err
		}
		return same("total of "+f.name, total.Hits, sum)
	})
}
