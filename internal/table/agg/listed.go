package agg

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/encoded"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// listing has the function that puts the texts of a group together.
var listing = []Function{
	{
		names: []string{"string_agg", "group_concat", "listagg"}, Ordered: true, Distinct: "string_agg",
		takes: []Parameter{{name: "COLUMN"}, {name: "'SEPARATOR'", Set: setSeparator, Optional: true}},
		bind: func(s *State, q Columns, g *Call) Result {
			r := &list{name: g.Text, Constants: g.Constants, by: noColumn}
			if g.Ordered {
				r.by = q.WantNumbers(g.Columns[1], batch.ByValues)
			}
			if !g.separated {
				r.separator = ","
			}
			r.texts = objectOf(s, q, g.Columns, func(k kept) *listedTexts { return &listedTexts{k} })
			return r
		},
	},
}

func setSeparator(to *Constants, c Constant) error {
	if !c.Quoted {
		return errors.New("the separator is a text in single quotes")
	}
	to.separator, to.separated = c.Text, true
	return nil
}

// listBytes is the most text, with its separators and with what it is ordered by, that string_agg puts together for a
// group, and listTexts the most values. All of it is in memory at once.
const (
	listBytes = 1 << 20
	listTexts = 100_000
)

// list is the texts of a group, one after the other.
type list struct {
	numeric
	Constants
	name  string
	texts *listedTexts
	by    int // among the number columns of the order; noColumn if that is the order of the records
}

func (*list) Heading([]batch.Known) answer.Column { return answer.Column{Type: answer.ColumnText} }

func (*list) Number(*Reader, []uint64, *Store) (n decimal.Number, null, exact bool) {
	panic("thresh: bug: a text as number")
}

func (r *list) Text(t *Reader, words []uint64, s *Store) (text []byte, exact bool) {
	if words[r.texts.at] == 0 {
		return nil, true
	}
	texts := find[textsOfGroup](s, r.texts.at, words[r.texts.at])
	if texts.over || texts.bytes+(texts.n-1)*len(r.separator) > listBytes {
		t.failed(fmt.Errorf("%s: a group has more than %d bytes of text or %d values, the limit of one answer; filter, or "+
			"group by more", r.name, listBytes, listTexts))
		return nil, true
	}
	all, err := texts.all()
	t.failed(err)
	slices.SortFunc(all, r.order(t.Known))
	text = []byte{}
	seen := map[string]bool{}
	for i, l := range all {
		if r.Once && seen[string(l.text)] {
			continue
		}
		if i > 0 {
			text = append(text, r.separator...)
		}
		if text = append(text, l.text...); r.Once {
			seen[string(l.text)] = true
		}
	}
	return text, true
}

// order returns how the texts are ordered: as the records are, or by a column as its values are, with null last.
func (r *list) order(k []batch.Known) func(a, b listed) int {
	if !r.Ordered {
		return func(a, b listed) int { return a.compare(&b.placed) }
	}
	compare := func(a, b listed) int { return bytes.Compare(a.by, b.by) }
	switch kinds := k[r.by].Kinds; {
	case kinds&batch.HasNumbers != 0:
		compare = func(a, b listed) int { return a.number.Compare(b.number) }
	case kinds == batch.HasTimes:
		compare = func(a, b listed) int { return value.CompareTimes(a.by, b.by) }
	}
	numbers := k[r.by].Kinds&batch.HasNumbers != 0
	isNull := func(l *listed) bool { return l.by == nil || numbers && !l.isNumber }
	return func(a, b listed) int {
		c := 0
		switch left, right := isNull(&a), isNull(&b); {
		case left != right && left:
			return 1
		case left != right:
			return -1
		case !left && r.Descending:
			c = compare(b, a)
		case !left:
			c = compare(a, b)
		}
		return cmp.Or(c, a.compare(&b.placed))
	}
}

// listed is a text of a list, and what it is ordered by.
type listed struct {
	placed
	by       []byte // nil for null
	number   decimal.Number
	isNumber bool
}

// listedTexts keeps all texts of a column, with what they are ordered by.
type listedTexts struct{ kept }

func (*listedTexts) layout(s *State) { s.addHandle(false, newSlots[textsOfGroup]) }

func (o *listedTexts) add(b *batch.Batch, g *Groups, sel records.Selection, ids []uint32, words []uint64) error {
	column, texts := b.TextColumn(o.column), slotsOf[textsOfGroup](g.store, o.at)
	var by records.Column
	if len(o.columns) > 1 {
		by = b.Column(o.columns[1])
	}
	for j, i := range sel {
		text := b.Field(column[i])
		if text == nil {
			continue
		}
		var order []byte
		if by != nil {
			order = b.Field(by[i])
		}
		t := texts.at(&words[int(ids[j])+o.at])
		before := t.Bytes()
		t.add(placed{b.Input, b.At(i), text}, order)
		texts.size += int64(t.Bytes() - before)
	}
	return nil
}

// textsOfGroup are the texts of a group, in any order, as they are encoded. If they are more than a list may have, none
// is kept.
type textsOfGroup struct {
	n, bytes int
	over     bool
	encoded  []byte
}

func (t *textsOfGroup) add(p placed, by []byte) {
	t.count(1, len(p.text)+len(by))
	if t.over {
		return
	}
	t.encoded = p.appendBinary(t.encoded)
	if by == nil {
		t.encoded = append(t.encoded, 0)
	} else {
		t.encoded = encoded.AppendBytes(append(t.encoded, 1), by)
	}
}

// count counts texts.
func (t *textsOfGroup) count(n, bytes int) {
	t.n, t.bytes = t.n+n, t.bytes+bytes
	if t.over = t.over || t.bytes > listBytes || t.n > listTexts; t.over {
		t.encoded = nil
	}
}

func (t *textsOfGroup) all() (all []listed, err error) {
	for r := (encoded.Reader{Rest: t.encoded}); len(r.Rest) > 0; {
		var l listed
		l.decode(&r)
		if r.Uvarint() == 1 {
			l.by = r.Bytes()
			n, kind := decimal.Parse(l.by)
			l.number, l.isNumber = n, kind == decimal.Plain || kind == decimal.Irregular
		}
		if r.Bad {
			return nil, errors.New("texts without their length")
		}
		all = append(all, l)
	}
	return all, nil
}

func (t *textsOfGroup) Merge(o *textsOfGroup) {
	t.over = t.over || o.over
	if t.count(o.n, o.bytes); !t.over {
		t.encoded = append(t.encoded, o.encoded...)
	}
}

// Bytes returns the approximate memory.
func (t *textsOfGroup) Bytes() int { return 64 + cap(t.encoded) }

func (t *textsOfGroup) AppendBinary(b []byte) []byte {
	over := uint64(0)
	if t.over {
		over = 1
	}
	b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, over), uint64(t.n)), uint64(t.bytes))
	return encoded.AppendBytes(b, t.encoded)
}

func (t *textsOfGroup) Decode(b []byte) (rest []byte, err error) {
	r := encoded.Reader{Rest: b}
	t.over = r.Uvarint() == 1
	t.n, t.bytes = int(r.Uvarint()), int(r.Uvarint())
	if t.encoded = bytes.Clone(r.Bytes()); r.Bad {
		return nil, errors.New("texts without their length")
	}
	return r.Rest, nil
}
