package cluster

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"reflect"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Range]())
	beam.RegisterType(reflect.TypeFor[rangesFn]())
	beam.RegisterType(reflect.TypeFor[scanFn]())
	beam.RegisterType(reflect.TypeFor[mergeFn]())
	beam.RegisterType(reflect.TypeFor[answerFn]())
	beam.RegisterType(reflect.TypeFor[parts]())
}

// pipeline returns the pipeline of some plans. Ranges are elements and reshuffled: a runner spreads elements over
// its workers, but need not split one. Results are merged by question.
func pipeline(plans []*Plan, rangeBytes int64) (*beam.Pipeline, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(plans); err != nil { // in JSON, names and patterns would have to be UTF-8
		return nil, fmt.Errorf("encode the plan: %w", err)
	}
	text := b.Bytes()
	pipe, s := beam.NewPipelineWithRoot()
	ranges := beam.ParDo(s, &rangesFn{Plans: text, RangeBytes: rangeBytes}, beam.Impulse(s))
	scanned := beam.ParDo(s, &scanFn{Plans: text}, beam.Reshuffle(s, ranges))
	merged := beam.CombinePerKey(s, &mergeFn{Plans: text}, scanned)
	beam.ParDo0(s, &answerFn{Plans: text}, merged)
	return pipe, nil
}

func decodePlans(text []byte) (plans []*Plan, err error) {
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&plans); err != nil {
		return nil, fmt.Errorf("decode the plan: %w", err)
	}
	return plans, nil
}

// rangesFn makes the elements. Fields of functions are exported, because Beam sends them to the workers.
type rangesFn struct {
	Plans      []byte
	RangeBytes int64
}

// ProcessElement emits all ranges.
func (f *rangesFn) ProcessElement(_ []byte, emit func(Range)) error {
	plans, err := decodePlans(f.Plans)
	if err != nil {
		return err
	}
	for i, p := range plans {
		for _, r := range p.ranges(f.RangeBytes) {
			r.Question = i
			emit(r)
		}
	}
	return nil
}

// scanFn scans ranges. A restriction is the numbers of a range's cells.
type scanFn struct {
	Plans []byte

	sources  *sources
	scanners []*scanner
}

// Setup prepares a worker.
func (f *scanFn) Setup(ctx context.Context) error {
	plans, err := decodePlans(f.Plans)
	if err != nil {
		return err
	}
	f.scanners = make([]*scanner, len(plans))
	if f.sources, err = newSources(plans[0].S3Endpoint, plans[0].Trial); err != nil { // the same in all plans
		return err
	}
	for i, p := range plans {
		if f.scanners[i], err = newScanner(p, f.sources, newCaller(p.Driver)); err != nil {
			return err
		}
	}
	return nil
}

// Teardown ends a worker.
func (f *scanFn) Teardown() {
	if f.sources != nil {
		f.sources.close()
	}
}

// CreateInitialRestriction returns all cells of a range.
func (f *scanFn) CreateInitialRestriction(r Range) offsetrange.Restriction {
	return offsetrange.Restriction{Start: r.From, End: r.To}
}

// SplitRestriction leaves a range whole: the plan made it as large as it should be.
func (f *scanFn) SplitRestriction(_ Range, r offsetrange.Restriction) []offsetrange.Restriction {
	return []offsetrange.Restriction{r}
}

// RestrictionSize returns how many cells there are.
func (f *scanFn) RestrictionSize(_ Range, r offsetrange.Restriction) float64 { return r.Size() }

// CreateTracker returns a tracker that a runner may ask to split while a cell is scanned.
func (f *scanFn) CreateTracker(r offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(offsetrange.NewTracker(r))
}

// ProcessElement scans cells as long as it can claim them, and emits a result for each.
func (f *scanFn) ProcessElement(ctx context.Context, t *sdf.LockRTracker, r Range, emit func(int, []byte)) error {
	scanner := f.scanners[r.Question]
	from := t.GetRestriction().(offsetrange.Restriction).Start
	for n := from; t.TryClaim(n); n++ {
		if err := pause(ctx, f.sources.trial.claim); err != nil {
			return err
		}
		result, err := scanner.cell(ctx, scanner.plan.cell(r.Input, n), from)
		if err != nil {
			return scanner.driver.failed(ctx, err)
		}
		result.Question = r.Question
		encoded, err := result.encode()
		if err != nil {
			return err
		}
		emit(r.Question, encoded)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// mergeFn merges partial results of a question: on the workers, then all together.
type mergeFn struct {
	Plans []byte

	mergers []*merger
}

// parts is partial results that are merged when there are several.
type parts struct{ Encoded [][]byte }

// partsMax is how many partial results are kept before they are merged: to decode and to encode a result takes
// longer than to add one.
const partsMax = 16

// Setup prepares a worker.
func (f *mergeFn) Setup() error {
	plans, err := decodePlans(f.Plans)
	if err != nil {
		return err
	}
	f.mergers = make([]*merger, len(plans))
	for i, p := range plans {
		if f.mergers[i], err = newMerger(&p.Question, p.Head); err != nil {
			return err
		}
	}
	return nil
}

// CreateAccumulator returns no results.
func (f *mergeFn) CreateAccumulator() parts { return parts{} }

// AddInput adds a result.
func (f *mergeFn) AddInput(ctx context.Context, to parts, result []byte) (parts, error) {
	to.Encoded = append(to.Encoded, result)
	if len(to.Encoded) < partsMax {
		return to, nil
	}
	return f.merge(ctx, to)
}

// MergeAccumulators adds results to others.
func (f *mergeFn) MergeAccumulators(ctx context.Context, a, b parts) (parts, error) {
	a.Encoded = append(a.Encoded, b.Encoded...)
	if len(a.Encoded) < partsMax {
		return a, nil
	}
	return f.merge(ctx, a)
}

// ExtractOutput returns the result of all.
func (f *mergeFn) ExtractOutput(ctx context.Context, all parts) ([]byte, error) {
	all, err := f.merge(ctx, all)
	if err != nil || len(all.Encoded) == 0 {
		return nil, err
	}
	return all.Encoded[0], nil
}

func (f *mergeFn) merge(ctx context.Context, all parts) (parts, error) {
	if f.mergers == nil { // Beam does not set up a combine that it has lifted
		if err := f.Setup(); err != nil {
			return all, err
		}
	}
	if len(all.Encoded) < 2 {
		return all, nil
	}
	sum, err := decodePartial(all.Encoded[0])
	if err != nil {
		return all, err
	}
	merger := f.mergers[sum.Question]
	for _, b := range all.Encoded[1:] {
		p, err := decodePartial(b)
		if err == nil {
			err = merger.merge(sum, p)
		}
		if err != nil {
			return all, err
		}
	}
	if err := merger.compact(ctx, sum); err != nil {
		return all, err
	}
	encoded, err := sum.encode()
	return parts{[][]byte{encoded}}, err
}

// answerFn hands the result of a question to the driver.
type answerFn struct{ Plans []byte }

// ProcessElement hands the result in.
func (f *answerFn) ProcessElement(ctx context.Context, question int, result []byte) error {
	plans, err := decodePlans(f.Plans)
	if err != nil {
		return err
	}
	return newCaller(plans[question].Driver).answer(ctx, result)
}
