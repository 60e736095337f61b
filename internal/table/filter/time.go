package filter

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// timeSelector compares fields with a text that is a time: those that are times by the moment, and all others as texts.
// If neither has a zone, nearly all fields are decided by the ten bytes of the date, which order times and texts alike.
type timeSelector struct {
	fields
	rel     expr.Relation
	right   []byte
	moment  value.Time
	byDate  bool   // right is of UTC, and begins with its date
	first   uint64 // the first word of the date
	endings uint16 // the rest of it
}

func newTimeSelector(f fields, rel expr.Relation, right string, moment value.Time) *timeSelector {
	s := &timeSelector{fields: f, rel: rel, right: []byte(right), moment: moment, first: firstWord(right)}
	s.byDate = moment.IsUTC() && strings.HasPrefix(right, string(moment.Date()))
	if s.byDate {
		s.endings = binary.BigEndian.Uint16(s.right[wordBytes:])
	}
	return s
}

// The lengths of times without a zone and a fraction. A text of clockLen may end with a zone.
const (
	dateLen   = len("2026-11-23")
	minuteLen = len("2026-11-23T10:35")
	clockLen  = len("2026-11-23T10:35:07")
)

func (s *timeSelector) keep(b *batch, sel records.Selection) records.Selection {
	column := s.of(b, sel)
	text := unsafe.Pointer(unsafe.SliceData(b.text))
	smaller := s.rel == expr.Less || s.rel == expr.AtMost || s.rel == expr.Unequal
	greater := s.rel == expr.Greater || s.rel == expr.AtLeast || s.rel == expr.Unequal
	kept := sel[:0]
	for _, i := range sel {
		f := column[i]
		if n := int(f.Len); s.byDate && (n == dateLen || n == minuteLen || n == clockLen) {
			at := unsafe.Add(text, f.Off)
			first := binary.BigEndian.Uint64((*[wordBytes]byte)(at)[:])
			endings := binary.BigEndian.Uint16((*[2]byte)(unsafe.Add(at, wordBytes))[:])
			zone := n == clockLen && *(*byte)(unsafe.Add(at, minuteLen)) != ':'
			if !zone && (first != s.first || endings != s.endings) {
				if first < s.first || first == s.first && endings < s.endings {
					if smaller {
						kept = append(kept, i)
					}
				} else if greater {
					kept = append(kept, i)
				}
				continue
			}
		}
		if s.rel.Holds(s.compare(f.Of(b.text))) {
			kept = append(kept, i)
		}
	}
	return kept
}

func (s *timeSelector) compare(field []byte) int {
	if t, ok := value.ParseTime(field); ok {
		return t.Compare(s.moment)
	}
	return bytes.Compare(field, s.right)
}
