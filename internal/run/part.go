package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/internal/search/grep"
)

// A question about an input can be answered in parts, in several processes. Each scans the blocks of its part
// as a run on one machine would: what begins in a part belongs to it, and may end after it. So the partial
// results add up to the same answer. The parts of an input are next to each other and cover all of it. A
// compressed input is one part. A part that could not be read to its end has no result.

// part returns the part of a range that is scanned.
func (o *Options) part(span source.Range) source.Range {
	if o.Part == nil {
		return span
	}
	return source.Range{Off: max(o.Part.Off, span.Off), End: min(o.Part.End, span.End)}
}

// reach returns the range in which holes are looked for: a hit may begin in a hole at the end of a part, and
// end in the data after it.
func (o *Options) reach(f *source.File, part source.Range, ahead int) source.Range {
	if o.Part != nil {
		part.End = min(part.End+int64(ahead), max(f.Bytes, part.End))
	}
	return part
}

// cutRegions returns the parts of the regions before end.
func cutRegions(regions []source.Region, end int64) (cut []source.Region) {
	for _, r := range regions {
		if r.End = min(r.End, end); r.Len() > 0 {
			cut = append(cut, r)
		}
	}
	return cut
}

// CountPart counts in the part of an input that o.Part says.
func CountPart(ctx context.Context, in *Input, q *Query, o Options) (*count.Partial, Report, error) {
	o.Limit = 0
	var counting *count.Run
	ask := q.number(&counting)
	job, err := newJob(in, ask, o)
	if err != nil {
		return nil, Report{}, err
	}
	report, err := run(ctx, in, ask, job, o)
	if err = errors.Join(err, report.unread()); err != nil {
		return nil, report, err
	}
	part, err := counting.Partial(job.Range)
	return part, report, err
}

// Total returns the number of a query in several inputs from the partial results of each.
func (q *Query) Total(inputs ...[]*count.Partial) (Report, error) {
	var total count.Result
	for _, parts := range inputs {
		result, err := q.counter.Compose(parts)
		if err == nil {
			err = total.Add(&result)
		}
		if err != nil {
			return Report{}, err
		}
	}
	err := q.counter.Total(&total)
	report := Report{Report: answer.Report{Complete: err == nil}}
	report.show(&total)
	return report, err
}

// FindPart finds the places that begin in the part of an input that o.Part says. If only the first of
// overlapping places counts (see Disjoint), visit gets all of them, because it is not known which of them count.
func FindPart(ctx context.Context, in *Input, q *Query, o Options, visit func([]answer.Hit) error) (Report, error) {
	ask, err := q.places()
	if err != nil {
		return Report{}, err
	}
	job, err := newJob(in, ask, o)
	if err != nil {
		return Report{}, err
	}
	job.Emit, job.Disjoint = visit, false
	report, err := run(ctx, in, ask, job, o)
	return report, errors.Join(err, report.unread())
}

// GrepPart finds the lines that begin in the part of an input that o.Part says, for GrepParts. It does not print them.
func GrepPart(ctx context.Context, in *Input, q *grep.Query, spec grep.Options, o Options) (
	part grep.Part, report answer.GrepReport, err error) {
	lines := *o.Part
	o.Part = nil
	if lines.Off, err = lineStart(ctx, in, lines.Off); err == nil {
		lines.End, err = lineStart(ctx, in, lines.End)
	}
	length := lines.End - lines.Off
	if err != nil || length <= 0 {
		return grep.Part{Off: lines.Off, End: lines.Off, Zero: -1}, report, err
	}
	o.Offset, o.Length = lines.Off, &length
	var out bytes.Buffer
	var run *grep.Run
	spec = spec.OfPart()
	ask := grepping(q, spec, grep.NewSink(&grep.Output{Writer: &out}, nil), &run)
	report, err = grepAsked(ctx, in, ask, &run, spec, o)
	if err == nil && len(report.Unread) > 0 {
		err = &report.Unread[0]
	}
	if err != nil {
		return part, report, err
	}
	return run.Part(lines, report, out.Bytes()), report, nil
}

// GrepParts prints what was found in the parts of an input, as Grep of the input does. The parts come in order.
func GrepParts(in *Input, q *grep.Query, sink *grep.Sink, spec grep.Options,
	parts iter.Seq2[grep.Part, error]) (answer.GrepReport, error) {
	replay := grep.NewReplay(q, spec, in.file, sink)
	var err error
	for part, partErr := range parts {
		if err = partErr; err == nil {
			err = replay.Add(part)
		}
		if err != nil || replay.Answered() {
			break
		}
	}
	report, doneErr := replay.Done(err == nil)
	report.Bytes, report.Complete = in.file.Bytes, err == nil
	return report, errors.Join(err, doneErr, sink.Flush())
}

// lineStart returns where the first line begins at or after off.
func lineStart(ctx context.Context, in *Input, off int64) (int64, error) {
	end := in.file.Bytes
	if off == 0 || off >= end {
		return min(off, end), nil
	}
	b := make([]byte, lineBytes)
	for at := off - 1; at < end; {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		part := b[:min(int64(len(b)), end-at)]
		n, err := in.ReadAt(part, at)
		if i := bytes.IndexByte(part[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
		if at += int64(n); n < len(part) {
			return 0, fmt.Errorf("read %s at %d: %w", in.Name(), at, err)
		}
	}
	return end, nil
}

// lineBytes is how much is read to look for the end of a line.
const lineBytes = 64 << 10

// Disjoint reports whether only the first of overlapping places counts.
func (q *Query) Disjoint() bool { return q.selector != nil && q.selector.Disjoint }

// unread returns the first range that could not be read, as an error.
func (r *Report) unread() error {
	if len(r.Unread) == 0 {
		return nil
	}
	return &r.Unread[0]
}

// OnlyCounted reports whether the query has a number and no places.
func (q *Query) OnlyCounted() bool { return q.selector == nil }

// CloseWith makes Close close c as well. It is for inputs from FromReaderAt.
func (in *Input) CloseWith(c io.Closer) { in.file.CloseWith(c) }

// Join joins neighbouring partial results of an input.
func (q *Query) Join(parts []*count.Partial) ([]*count.Partial, error) { return q.counter.Join(parts) }
