package matrix

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/options"
)

// square is one case: a question, an input, a range, and how the work is divided.
type square struct {
	asked
	kind, shape string
	data        []byte
	options     options.Find
	find        bool
	seed        uint64 // of the random choices in making the input
}

func (s *square) String() string {
	ask := "count"
	if s.find {
		ask = "find"
	}
	length := "all"
	if s.options.Length != nil {
		length = fmt.Sprint(*s.options.Length)
	}
	o := s.options
	text := fmt.Sprintf("%s %s in %s, %d bytes of %q; offset %d, length %s, limit %d, engine %q, workers %d, chunk %d, memory %d, cache %s",
		ask, s.name, s.kind, len(s.data), s.shape, o.Offset, length, o.Limit, o.Engine, o.Workers, o.ChunkBytes, o.MemoryBytes, o.Cache)
	if len(s.data) <= 300 {
		text += fmt.Sprintf("\ninput: %q", s.data)
	}
	return text
}

// sorted returns the keys of a map in order, so that a seed always gives the same case.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// randomSquare returns a random case.
func randomSquare(r *rand.Rand) (square, error) {
	q, err := selectors[pick(r, sorted(selectors)...)](r)
	if err != nil {
		return square{}, fmt.Errorf("%s: %w", q.name, err)
	}
	s := square{asked: q, find: q.places != nil && chance(r, 2), seed: r.Uint64(), kind: pick(r, sorted(inputs)...)}
	if rare := inputs[s.kind].rare; rare > 0 && !chance(r, rare) {
		s.kind = "file"
	}
	n := []int{r.IntN(40), r.IntN(40), r.IntN(3000), r.IntN(3000), r.IntN(30_000), r.IntN(300_000)}[r.IntN(6)]
	o := &s.options
	// Without a chunk size, a search with a limit begins with an opening.
	o.Workers, o.ChunkBytes = pick(r, 0, 1, 2, 5), pick(r, 0, 0, 0, 0, 1, 2, 7, 1+r.IntN(100), 4096)
	if o.ChunkBytes > 0 {
		o.ChunkBytes = max(o.ChunkBytes, n/300)
	}
	o.MemoryBytes, o.Cache = pick[int64](r, 0, 0, 64<<20, 24<<20), pick(r, options.CacheAuto, options.CacheAuto, options.CacheNeutral)
	if s.find {
		o.Limit = pick[int64](r, 0, 0, 1, 1, 2, 50)
	}
	border := max(o.ChunkBytes, pick(r, 1, 8, 64))
	s.shape = pick(r, sorted(shapes)...)
	s.data = shapes[s.shape](r, q.parts, n, border)
	o.Engine = inputs[s.kind].engine(r)
	o.Offset, o.Length = randomRange(r, int64(len(s.data)), int64(border))
	return s, nil
}

// randomRange returns a range in n bytes, which may reach beyond their end.
func randomRange(r *rand.Rand, n, border int64) (off int64, length *int64) {
	upTo := func(end int64) *int64 {
		d := max(0, end-off)
		return &d
	}
	switch r.IntN(12) {
	case 0:
		return 1, nil
	case 1:
		return n, nil
	case 2:
		return n + 1 + r.Int64N(5), nil
	case 3:
		off = r.Int64N(n + 1)
		return off, nil
	case 4:
		return 0, upTo(r.Int64N(n + 1))
	case 5:
		off = r.Int64N(n + 1)
		return off, upTo(off + r.Int64N(n-off+1))
	case 6:
		off = r.Int64N(n + 1)
		return off, upTo(off)
	case 7:
		off = r.Int64N(n + 1)
		return off, upTo(n + 1 + r.Int64N(5))
	case 8:
		off = min(n, max(0, border*r.Int64N(4)+r.Int64N(3)-1))
		return off, upTo(min(n, off+border*r.Int64N(5)+r.Int64N(3)-1))
	}
	return 0, nil
}

// span returns the bytes in the range, and whether the range is within the data.
func (s *square) span(data []byte) ([]byte, bool) {
	o, n := s.options, int64(len(data))
	end := n
	if o.Length != nil {
		end = o.Offset + *o.Length
	}
	inside := o.Offset <= n && end <= n
	return data[min(o.Offset, n):max(min(o.Offset, n), min(end, n))], inside
}

// run asks the question and returns an error if the answer is wrong.
func (s *square) run(t *testing.T) (err error) {
	k := inputs[s.kind]
	in := k.open(t, rand.New(rand.NewPCG(s.seed, 0)), s.data)
	defer func() { err = errors.Join(err, in.end()) }()
	hits, report, failed := s.ask(in.Input)
	return s.judge(hits, &report, failed, k.stream)
}

// ask runs the query on an input.
func (s *square) ask(in *thresh.Input) (hits []answer.Hit, report answer.Report, err error) {
	if !s.find {
		report, err = thresh.Count(context.Background(), in, s.query, s.options.Scan())
		return nil, report, err
	}
	report, err = thresh.Find(context.Background(), in, s.query, s.options, func(more []answer.Hit) error {
		hits = append(hits, more...)
		return nil
	})
	return hits, report, err
}

// judge compares an answer with the plain one. If clipped is set, a range may reach beyond the end
// of the input.
func (s *square) judge(hits []answer.Hit, report *answer.Report, failed error, clipped bool) error {
	span, inside := s.span(s.data)
	var outside *failure.RangeError
	var memory *failure.MemoryError
	switch {
	case !inside && !clipped:
		if !errors.As(failed, &outside) {
			return fmt.Errorf("a range beyond the end of the file: got error %v, want a RangeError", failed)
		}
		return nil
	case errors.As(failed, &memory) && s.options.MemoryBytes != 0:
		return nil // the memory limit is too low, and the error says how much is needed
	case failed != nil && s.refused != nil && s.refused(span):
		return nil
	case failed != nil:
		return failed
	}
	if s.places != nil && tooManyOpen(report) {
		return s.judgeOpen(hits, report, span)
	}
	limited := false
	if s.find {
		want := s.places(span)
		for i := range want {
			want[i].Off += s.options.Offset
		}
		if limit := s.options.Limit; limit > 0 && int64(len(want)) >= limit {
			limited, want = true, want[:limit]
		}
		if err := errors.Join(sameHits(hits, want), same("hits in the report", report.Hits, int64(len(want)))); err != nil {
			return err
		}
	} else if err := s.check(span, report); err != nil {
		return err
	}
	return s.account(span, report, limited)
}

// tooManyOpen reports whether a range is unread because a line has more undecided matches than are
// kept: matches that may all be part of a longer one. One of the thresholds bounds their number.
func tooManyOpen(report *answer.Report) bool {
	return slices.ContainsFunc(report.Unread, func(u failure.UnreadError) bool { return strings.Contains(u.Error(), "too many matches") })
}

// judgeOpen checks an answer that lacks some lines and reports them as unread: all its hits must be
// right, and outside those lines none may be missing.
func (s *square) judgeOpen(hits []answer.Hit, report *answer.Report, span []byte) error {
	left := map[answer.Hit]bool{}
	for _, h := range s.places(span) {
		h.Off += s.options.Offset
		left[h] = true
	}
	if report.Complete || report.Hits > int64(len(left)) {
		return fmt.Errorf("complete: %v, %d hits, want %d at most", report.Complete, report.Hits, len(left))
	}
	if !s.find {
		return nil
	}
	for _, h := range hits {
		if !left[h] {
			return fmt.Errorf("%+v is not a hit, or was reported twice", h)
		}
		delete(left, h)
	}
	for h := range left {
		named := func(u failure.UnreadError) bool { return u.Off <= h.Off && h.Off <= u.Off+u.Len }
		if !slices.ContainsFunc(report.Unread, named) && (s.options.Limit == 0 || report.Hits < s.options.Limit) {
			return fmt.Errorf("%+v is missing, and not in an unread range: %v", h, report.Unread)
		}
	}
	return nil
}

// account checks that all bytes of the range are scanned or skipped.
func (s *square) account(span []byte, report *answer.Report, limited bool) error {
	if !report.Complete || len(report.Unread) > 0 {
		return fmt.Errorf("complete: %v, unread: %v", report.Complete, report.Unread)
	}
	all := report.Bytes + report.Skipped
	if all > int64(len(span)) || !limited && all != int64(len(span)) {
		return fmt.Errorf("%d bytes scanned and %d skipped, of %d", report.Bytes, report.Skipped, len(span))
	}
	if s.trailing != nil && !limited {
		if want := s.trailing(len(span)); want >= 0 {
			return same("trailing bytes", report.Trailing, want)
		}
	}
	return nil
}

func sameHits(got, want []answer.Hit) error {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Errorf("hit %d: got %+v, want %+v (%d and %d in all)", i, got[i], want[i], len(got), len(want))
		}
	}
	switch {
	case len(got) > len(want):
		return fmt.Errorf("%d hits, want %d; the first extra one is %+v", len(got), len(want), got[len(want)])
	case len(got) < len(want):
		return fmt.Errorf("%d hits, want %d; the first missing is %+v", len(got), len(want), want[len(got)])
	}
	return nil
}

// reduce tries to find a smaller input with which the square still fails, and returns that failure.
func (s square) reduce(t *testing.T, failure error, run func(*square) error) error {
	tries, until := 0, time.Now().Add(5*time.Second)
	for step := max(len(s.data)/2, 1); step > 0 && len(s.data) > 0; {
		shorter := false
		for at := 0; at < len(s.data) && tries < 300 && time.Now().Before(until); tries++ {
			next := s
			next.data = slices.Delete(slices.Clone(s.data), at, min(at+step, len(s.data)))
			if err := run(&next); err != nil {
				s, failure, shorter = next, err, true
			} else {
				at += step
			}
		}
		if !shorter || step > len(s.data) {
			step /= 2
		}
		if tries >= 300 || time.Now().After(until) {
			break
		}
	}
	return fmt.Errorf("%v\n%w", &s, failure)
}

// TestFindAndCount runs random queries on random inputs.
func TestFindAndCount(t *testing.T) {
	usable := engines(t)
	cases(t, 1000, func(t *testing.T, r *rand.Rand) error {
		s, err := randomSquare(r)
		if err != nil {
			return err
		}
		if !usable[s.options.Engine] {
			s.options.Engine = options.EngineAuto
		}
		run := func(s *square) error { return s.run(t) }
		if err := run(&s); err != nil {
			return s.reduce(t, err, run)
		}
		return nil
	})
}

// engines returns which engines can read files here.
func engines(t *testing.T) map[options.Engine]bool {
	t.Helper()
	usable := map[options.Engine]bool{}
	in := kinds["file"].open(t, nil, []byte("some bytes\n"))
	for _, e := range engineNames {
		_, err := thresh.Explain(in.Input, thresh.NonZero(), options.Find{Run: options.Run{Engine: e}})
		usable[e] = err == nil
	}
	if err := in.end(); err != nil {
		t.Fatal(err)
	}
	return usable
}

// engineNames are the engines that people may ask for.
var engineNames = func() []options.Engine {
	all := []options.Engine{options.EngineAuto}
	for _, name := range catalog.Names() {
		all = append(all, options.Engine(name))
	}
	return slices.Clip(all)
}()
