package key

import (
	"bytes"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// verdict is the result of a scan.
type verdict int

const (
	fits verdict = iota
	fails
	unsure // only the automaton or the standard library can tell
)

// A scan that restarts too often is given up, so that the time for a field stays linear in its
// length.
const patience = 4 // wasted bytes per byte of the field: those of attempts that failed

// patienceBytes may be wasted in each field in addition.
var patienceBytes = threshold.New("key: bytes scanned in vain before regexp takes over", 256, 1)

// find returns where in field the answer is, if the field matches. This is the plain variant,
// which defines what is right for the others.
func (s *shape) find(field []byte) (from, to int, v verdict) {
	spent, most := 0, patience*len(field)+patienceBytes.Get()
	for p := 0; ; p++ {
		if p = s.start(field, p); p < 0 {
			return 0, 0, fails
		}
		from, to, reach, ok := s.match(field, p)
		switch {
		case ok:
			return from, to, fits
		case !s.sure:
			return 0, 0, unsure
		case s.begin:
			return 0, 0, fails
		}
		if spent += reach - p; spent > most {
			return 0, 0, unsure
		}
		if first := s.items[0]; first.max == unbounded {
			// An attempt that begins later in the same run ends the run at the same place.
			p += run(field[p:], &s.sets[first.set], unbounded) - 1
		}
	}
}

// start returns the first place from p on where a match could begin, or -1.
func (s *shape) start(field []byte, p int) int {
	switch {
	case s.begin:
		return 0
	case p >= len(field):
		return -1
	case len(s.prefix) > 0:
		i := bytes.Index(field[p:], s.prefix)
		if i < 0 {
			return -1
		}
		return p + i
	}
	first := &s.sets[s.items[0].set]
	for ; p < len(field); p++ {
		if first.has(field[p]) {
			return p
		}
	}
	return -1
}

// match lets each item take all it can, from p on. reach is the end of what they took.
func (s *shape) match(field []byte, p int) (from, to, reach int, ok bool) {
	from, to = p, p
	for i, it := range s.items {
		if i == s.from {
			from = p
		}
		n := run(field[p:], &s.sets[it.set], it.max)
		p += n
		if n < it.min {
			return 0, 0, p, false
		}
		if i+1 == s.to {
			to = p
		}
	}
	if s.from == len(s.items) {
		from, to = p, p
	}
	return from, max(from, to), p, !s.end || p == len(field)
}

// run returns how many bytes at the beginning of b are in the set, but no more than most.
func run(b []byte, of *set, most int) int {
	n := 0
	for n < len(b) && n < most && of.has(b[n]) {
		n++
	}
	return n
}

// scanPlain is scan, field by field.
func (p *Finder) scanPlain(text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	for _, i := range sel {
		kept = p.scanOne(text, column[i], i, out, kept)
	}
	return kept
}

// scanOne scans the field f of record i, of any length. If the scan is unsure, decide does.
func (p *Finder) scanOne(text []byte, f records.Span, i uint16,
	out records.Column, kept records.Selection) records.Selection {
	field := f.Of(text)
	from, to, v := 0, 0, unsure
	if p.shape != nil {
		from, to, v = p.shape.find(field)
	}
	if v == unsure {
		found := false
		if from, to, found = p.decide(field, out != nil); !found {
			return kept
		}
	} else if v == fails {
		return kept
	}
	if out != nil {
		out[i] = records.Span{Off: f.Off + uint32(from), Len: uint32(to - from)}
	}
	return append(kept, i)
}

// markPlain defines what a mark does.
func markPlain(text unsafe.Pointer, b *block, one, two span, in1, in2 *[blockMax]uint64) {
	for j := range b.records {
		f := b.fields[j]
		in1[j], in2[j] = 0, 0
		for i, c := range unsafe.Slice((*byte)(unsafe.Add(text, f.Off)), min(f.Len, fieldMax)) {
			if c-one.first <= one.length {
				in1[j] |= 1 << i
			}
			if c-two.first <= two.length {
				in2[j] |= 1 << i
			}
		}
	}
}
