package find

import (
	"fmt"
	"strconv"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/nonzero"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/question"
)

// NonZero looks for bytes that are not 0.
func NonZero() *Selector {
	best := nonzero.Best()
	return &Selector{
		Traits:   scan.Traits{Kernel: fmt.Sprintf("nonzero %v", best.ISA), SkipHoles: true},
		searcher: func(Input) scan.Searcher { return nonZero{best} },
	}
}

type nonZero struct{ kernel nonzero.Kernel }

func (s nonZero) Search(b engine.Block, yield func(answer.Hit) bool) {
	own := b.Data[:b.Len]
	for at := 0; ; at++ {
		i := s.kernel.Index(own[at:])
		if i < 0 {
			return
		}
		at += i
		if !yield(answer.Hit{Off: b.Off + int64(at), Len: 1}) {
			return
		}
	}
}

// Text looks for literal bytes.
func Text(s string) (*Selector, error) {
	p, err := pattern.Literal([]byte(s))
	if err != nil {
		return nil, err
	}
	return patternSelector(p), nil
}

// Hex looks for hexadecimal bytes; ? matches any digit.
func Hex(s string) (*Selector, error) {
	p, err := pattern.ParseHex(s)
	if err != nil {
		return nil, err
	}
	return patternSelector(p), nil
}

func patternSelector(p *pattern.Pattern) *Selector {
	return &Selector{
		Traits: scan.Traits{Kernel: fmt.Sprintf("pattern %v", p.ISA()),
			Ahead: p.Len() - 1, SkipHoles: !p.FitsZeros(), Disjoint: p.Overlaps(), Text: true},
		pattern:  p,
		searcher: func(Input) scan.Searcher { return patternSearcher{p} },
	}
}

type patternSearcher struct{ *pattern.Pattern }

// Search also yields occurrences that overlap an earlier one, if the pattern can overlap
// itself. Which of them count depends on the bytes before the block.
func (s patternSearcher) Search(b engine.Block, yield func(answer.Hit) bool) {
	n := s.Len()
	in := b.Data[:min(b.Len+n-1, len(b.Data))]
	step := n
	if s.Overlaps() {
		step = 1
	}
	for at := 0; at < len(in); at += step {
		i := s.Index(in[at:])
		if i < 0 {
			return
		}
		at += i
		if !yield(answer.Hit{Off: b.Off + int64(at), Len: int64(n)}) {
			return
		}
	}
}

// Values looks for typed values that meet all conditions.
func Values(c question.Values) (*Selector, error) {
	t, err := compare.ParseType(string(c.Type))
	if err != nil {
		return nil, err
	}
	p, err := compare.Compile(t, c.Conditions)
	if err != nil {
		return nil, err
	}
	stride, err := t.Stride(c.Stride)
	return valueSelector(t, p, stride), err
}

// Bytes looks for the bytes for which "byte op value" holds.
func Bytes(op question.Op, value byte) (*Selector, error) {
	return Values(question.Values{Type: question.Uint8,
		Conditions: []question.Condition{{Op: op, Value: strconv.Itoa(int(value))}}})
}

func valueSelector(t compare.Type, p *compare.Predicate, stride int64) *Selector {
	width := int64(t.Width())
	return &Selector{
		Traits: scan.Traits{Kernel: fmt.Sprintf("compare %v %v", t, p.ISA()),
			Ahead: int(width) - 1, SkipHoles: !p.FitsZero(), Width: width, Stride: stride},
		values: p,
		searcher: func(in Input) scan.Searcher {
			return &values{p, in.Range.Off, width, stride}
		},
	}
}

type values struct {
	*compare.Predicate
	origin        int64 // offset of the first value
	width, stride int64
}

func (v *values) Search(b engine.Block, yield func(answer.Hit) bool) {
	// The first value that begins in the block.
	at := (b.Off - v.origin + v.stride - 1) / v.stride * v.stride
	at += v.origin - b.Off
	// The last value may end in the context.
	in := b.Data[:min(int64(b.Len)+v.width-1, int64(len(b.Data)))]
	for at < int64(b.Len) {
		i := v.index(in[at:])
		if i < 0 || at+int64(i) >= int64(b.Len) {
			return
		}
		at += int64(i)
		if !yield(answer.Hit{Off: b.Off + at, Len: v.width}) {
			return
		}
		at += v.stride
	}
}

func (v *values) index(b []byte) int {
	if v.stride == v.width {
		return v.Index(b)
	}
	return v.IndexStride(b, int(min(v.stride, int64(len(b))+1)))
}
