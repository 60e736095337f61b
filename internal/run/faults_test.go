package run

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/thresh-dev/thresh/internal/fault"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// spillingQuestions use every kind of temporary file: runs of groups and their merges, partitions, values of quantiles,
// pairs, decimals with more digits than the others, and whole texts.
var spillingQuestions = map[string]query.Question{
	"sums by key":        {Kind: query.Group, Keys: "k", Aggregates: "count,sum(v),max(t)"},
	"sums by value":      {Kind: query.Group, Keys: "k", Aggregates: "sum(v)", By: "sum(v)", Limit: 5},
	"commonest":          {Kind: query.Top, Keys: "g", Limit: 3},
	"quantiles":          {Kind: query.Group, Keys: "g", Aggregates: "p50(v),p99(v),median(w)"},
	"quantiles of all":   {Kind: query.Group, Aggregates: "p50(v),p10(w)"},
	"distinct":           {Kind: query.Group, Keys: "g", Aggregates: "distinct(k),distinct(t)"},
	"mode":               {Kind: query.Group, Keys: "g", Aggregates: "mode(t),first(t),last(k)"},
	"estimates":          {Kind: query.Group, Keys: "g", Aggregates: "approx_distinct(k),approx_p50(v),stddev(w)"},
	"columns":            {Kind: query.Columns},
	"records themselves": {Kind: query.Select, Columns: []string{"*"}},
	"records in order":   {Kind: query.Select, Columns: []string{"*"}, By: "v, t desc"},
	"first in order":     {Kind: query.Select, Columns: []string{"k"}, By: "t desc, w", Limit: 700, Skip: 20},
}

// spillingTable returns records of many keys, some numbers of which have more digits than others.
func spillingTable() []byte {
	r := rand.New(rand.NewPCG(30, 1))
	var b strings.Builder
	b.WriteString("k,g,v,w,t\n")
	for i := range 1200 {
		w := fmt.Sprint(r.IntN(100))
		if i%7 == 0 {
			w = fmt.Sprintf("%d.%018d", r.IntN(9), r.Int64N(1e18))
		}
		fmt.Fprintf(&b, "%x,%d,%d,%s,%s\n", r.Uint64()>>(r.IntN(40)), r.IntN(9), r.IntN(1000), w, strings.Repeat("t", r.IntN(40)))
	}
	return []byte(b.String())
}

// TestTableFaults refuses the n-th call of each kind, while batches and other workers follow: the answer is right, or
// there is an error that says what was refused. Nothing is left, and no worker waits.
func TestTableFaults(t *testing.T) {
	threshold.Shrink(t, 64)
	for _, s := range threshold.All() {
		if s.Name() == "table: bytes of a chunk" {
			s.Set(s.Real()) // so that more batches of the chunk follow
		}
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	defer fault.Clear()
	data, refused := spillingTable(), 0
	for name, q := range spillingQuestions {
		spec := query.Spec{Dialect: query.Dialect{Delim: ',', Header: true}, Questions: []query.Question{q}}
		r := rand.New(rand.NewPCG(uint64(len(name)), 7))
		ask := func(p *fault.Plan, workers int) (*answered, error) {
			fault.Inject(p)
			defer fault.Clear()
			var out answered
			done := make(chan error, 1)
			go func() {
				_, err := Table(t.Context(), FromBytes("t", data), spec,
					Options{Run: options.Run{Workers: workers, MemoryBytes: 96 << 20, ChunkBytes: 4096}}, &out)
				done <- err
			}()
			select {
			case err := <-done:
				return &out, err
			case <-time.After(time.Minute):
				t.Fatalf("%s: it waits for ever after %d of %q", name, p.Nth, p.Op)
				return nil, nil
			}
		}
		want, err := ask(&fault.Plan{}, 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, op := range []fault.Op{fault.CreateTemp, fault.WriteTemp, fault.ReadTemp, fault.Map} {
			count := &fault.Plan{Op: op}
			if _, err := ask(count, 3); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, nth := range moments(count.Calls(), rounds.Of(55), r) {
				for _, stays := range []bool{false, true} {
					p := &fault.Plan{Op: op, Nth: nth, Stays: stays, Err: syscall.ENOSPC}
					got, err := ask(p, 1+r.IntN(4))
					if p.Refused() > 0 {
						refused++
					}
					switch {
					case err == nil && !reflect.DeepEqual(got.answers, want.answers):
						t.Errorf("%s, call %d of %q refused: another answer and no error", name, nth, op)
					case err == nil && p.Refused() > 0 && op != fault.Map: // Go's memory is as good for some
						t.Errorf("%s, call %d of %q refused: no error", name, nth, op)
					case err != nil && (!errors.Is(err, syscall.ENOSPC) || strings.Count(err.Error(), "injected") != 1):
						t.Errorf("%s, call %d of %q refused: %v", name, nth, op, err)
					}
					if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
						t.Fatalf("%s, call %d of %q refused: left behind: %v %v", name, nth, op, left, err)
					}
				}
			}
		}
	}
	t.Logf("%d runs", refused)
	if refused < rounds.Of(1900) {
		t.Errorf("calls were refused in only %d runs: the questions spill too little", refused)
	}
}

// moments returns about n of the numbers 1 to calls: the first ones, the last ones, and some between.
func moments(calls int64, n int, r *rand.Rand) (out []int64) {
	for i := range int64(n) {
		at := 1 + r.Int64N(max(calls, 1))
		switch {
		case i < int64(n)/3:
			at = i + 1
		case i < int64(n)/2:
			at = calls - i + int64(n)/3
		}
		if at >= 1 && at <= calls {
			out = append(out, at)
		}
	}
	return out
}
