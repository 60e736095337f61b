package scan

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// lane is the queue of one engine: ranges of the input that are handed out piece by piece.
type lane struct {
	engine     engine.Engine
	ranges     []source.Range // not handed out yet; the first one is cut from the front
	data       source.Range   // the written range at the cursor, if holes are skipped
	pieceBytes int64
	sizer      sizer // chooses the piece size; nil: nothing does
	growTo     int64 // the piece size doubles with each piece until it is this; 0: it stays as it is
}

// firstPieceBytes is the first piece of a stream. A reader gets a piece when all of it has arrived or was
// decompressed, so a hit at the beginning of a large compressed file is found sooner in small pieces.
var firstPieceBytes = threshold.New("scan: first piece of a stream", 64<<10, 1)

// sizer is an engine that says how long the next piece should be if so many bytes are left.
type sizer interface{ NextBytes(left int64) int }

// newLane returns the queue of a lane of a plan.
func newLane(e engine.Engine, l plan.Lane) *lane {
	all := &lane{engine: e, ranges: slices.Clone(l.Ranges), pieceBytes: int64(l.Config.PieceBytes)}
	all.sizer, _ = e.(sizer)
	if l.Once() && l.Ranges[0].Off == 0 {
		all.growTo = all.pieceBytes
		all.pieceBytes = min(all.pieceBytes, int64(firstPieceBytes.Get()))
	}
	return all
}

// next returns the next piece that begins below bound, and calls skip for the holes before it.
// Pieces end at multiples of the piece size in the file, so that each covers whole large folios
// of a mapping.
func (l *lane) next(job *Job, bound int64, skip func(source.Range)) (p engine.Piece, ok bool, err error) {
	for len(l.ranges) > 0 && l.ranges[0].Off < bound {
		r := &l.ranges[0]
		if r.Len() <= 0 {
			l.ranges = l.ranges[1:]
			continue
		}
		end := r.End
		if job.SkipHoles {
			if r.Off >= l.data.End || r.Off < l.data.Off {
				hole, err := l.skipHole(job)
				if err != nil {
					return p, false, err
				}
				skip(hole)
				if r.Len() <= 0 {
					continue
				}
			}
			end = min(end, l.data.End)
		}
		if l.sizer != nil {
			l.pieceBytes = int64(l.sizer.NextBytes(source.TotalBytes(l.ranges)))
		}
		n := min(l.pieceBytes-r.Off%l.pieceBytes, end-r.Off)
		p = engine.Piece{Off: r.Off, Len: int(n)}
		r.Off += n
		l.pieceBytes = min(2*l.pieceBytes, max(l.growTo, l.pieceBytes))
		return p, true, nil
	}
	return p, false, nil
}

// skipHole moves the cursor to where the next hit can begin and returns the range it skipped.
// That is job.Ahead bytes before the next written byte, because a hit may begin with zeros of
// the hole and end in the data.
func (l *lane) skipHole(job *Job) (hole source.Range, err error) {
	r := &l.ranges[0]
	data, err := job.File.NextData(r.Off, min(r.End+int64(job.Ahead), job.end()))
	if err != nil {
		return hole, err
	}
	hole = source.Range{Off: r.Off, End: min(max(data.Off-int64(job.Ahead), r.Off), r.End)}
	r.Off = hole.End
	l.data = source.Range{Off: hole.End, End: data.End}
	return hole, nil
}

// cursor returns the offset of the next piece, and whether there is one.
func (l *lane) cursor() (int64, bool) {
	for _, r := range l.ranges {
		if r.Len() > 0 {
			return r.Off, true
		}
	}
	return 0, false
}

// without returns the parts of the regions outside the ranges. Both are in ascending order.
func without(regions []source.Region, ranges []source.Range) []source.Region {
	out := slices.Clone(regions)
	for _, cut := range ranges {
		var rest []source.Region
		for _, r := range out {
			before := source.Region{Range: source.Range{Off: r.Off, End: min(r.End, cut.Off)}, Cached: r.Cached}
			behind := source.Region{Range: source.Range{Off: max(r.Off, cut.End), End: r.End}, Cached: r.Cached}
			for _, part := range []source.Region{before, behind} {
				if part.Len() > 0 {
					rest = append(rest, part)
				}
			}
		}
		out = rest
	}
	return out
}

// intersect returns the parts of a that lie in b.
func intersect(a, b []source.Range) (out []source.Range) {
	for _, x := range a {
		for _, y := range b {
			both := source.Range{Off: max(x.Off, y.Off), End: min(x.End, y.End)}
			if both.Len() > 0 {
				out = append(out, both)
			}
		}
	}
	return out
}

func rangesOf(regions []source.Region) (out []source.Range) {
	for _, r := range regions {
		out = append(out, r.Range)
	}
	return out
}
