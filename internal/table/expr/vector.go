package expr

import (
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Vector computes an expression for all records of a batch, node by node. A node makes a column of texts, of numbers
// or of conditions, whichever suits it, and what is around it may take the column as any of these. Numbers are
// integers of a scale that all records share. A Vector leaves out records with a number that is no such integer, as
// floats are, and those with a result that does not fit; Expr.Value computes them. Both give the same values. A Vector
// is for one goroutine.
type Vector struct {
	// Numeric is true if the values are numbers, which ComputeNumbers returns without writing them.
	Numeric bool
	// Watched has records fail that have a value that is not what was asked for.
	Watched bool

	root    vectorNode
	leaves  []*leaf
	batch   Batch
	batches int    // so far: tells what a node has from an earlier one
	text    []byte // of the batch
	mark    byte
	sel     records.Selection
	failed  [records.Max]bool
	anyFail bool
	rest    records.Selection
	done    records.Selection
	pause   int // batches that are left to Expr.Value, after one with many failures

	blank      spanOnce    // an empty text
	truthTexts [2]spanOnce // by truth
	value      []byte
	record     uint16
	row        Row // of record
}

// Batch is where the records of a batch lie.
type Batch interface {
	// Column returns the fields of a column.
	Column(column int) records.Column
	// Text returns the text that spans are about. There are records.SlackBytes before and after each field.
	Text() []byte
	// Add appends a value to the text.
	Add(value []byte) records.Span
	// Mark returns the byte that follows an empty text that is not null.
	Mark() byte
}

// vectorNode is a part of an expression. Its columns have values for the selected records, and are valid until the
// node is computed again. Records that fail have any values.
type vectorNode interface {
	texts(v *Vector, sel records.Selection) records.Column
	numbers(v *Vector, sel records.Selection) numbers
	truths(v *Vector, sel records.Selection) *truths
}

// numbers are values by record: mantissa * 10^-scale where the kind is Plain, null where it is Missing, and a text that
// is no number where it is Bad. Without kinds all are Plain.
type numbers struct {
	mantissa *[records.Max]int64
	kinds    *[records.Max]decimal.Kind
	scale    int
}

// kind returns the kind of a record's value.
func (n *numbers) kind(i uint16) decimal.Kind {
	if n.kinds == nil {
		return decimal.Plain
	}
	return n.kinds[i%records.Max]
}

// truth is what a condition is.
type truth uint8

const (
	no truth = iota
	yes
	unknown
)

type truths [records.Max]truth

// truthOf returns the truth of a value.
func truthOf(holds, known bool) truth {
	switch {
	case !known:
		return unknown
	case holds:
		return yes
	}
	return no
}

// Vector returns a new Vector, or nil if there is nothing to compute, or only in ways that are no faster.
func (e *Expr) Vector() *Vector {
	switch e.Root.(type) {
	case *Field, *length:
		return nil
	}
	v := &Vector{rest: make(records.Selection, 0, records.Max), done: make(records.Selection, 0, records.Max)}
	v.row.Field = func(column int) []byte {
		s := v.batch.Column(column)[v.record]
		if v.isNull(s) {
			return nil
		}
		return s.Of(v.text)
	}
	if e.Watched {
		v.Watched, v.row.Bad = true, func(Node, []byte, Asked) { v.fail(v.record) }
	}
	v.root = v.node(e.Root)
	if each, ok := v.root.(*fromTexts); ok {
		if _, ok := each.textNode.(*single); ok {
			return nil
		}
	}
	_, v.Numeric = v.root.(*fromNumbers)
	return v
}

// IsNumeric reports whether a Vector computes the expression as numbers.
func (e *Expr) IsNumeric() bool {
	v := e.Vector()
	return v != nil && v.Numeric
}

// node returns the node for a part of the expression.
func (v *Vector) node(n Node) vectorNode {
	if made := v.vectored(n); made != nil {
		return made
	}
	return &fromTexts{textNode: &single{Node: n}}
}

// vectored returns the node for a part of the expression, nil if it is computed record by record.
func (v *Vector) vectored(n Node) vectorNode {
	switch n := n.(type) {
	case *Field:
		return v.fieldNode(n)
	case *Literal:
		return constantNumber(n.n)
	case *Constant:
		return &fromTexts{textNode: &sameText{value: n.value}}
	case *negative:
		return v.operator('-', &Literal{}, n.of)
	case *operation:
		return v.operation(n)
	case *call:
		return v.call(n)
	case *cast:
		return v.cast(n)
	case *choice:
		return v.choice(n)
	}
	return v.condition(n)
}

func (v *Vector) nodes(all []Node) (made []vectorNode) {
	for _, n := range all {
		made = append(made, v.node(n))
	}
	return made
}

// pauseBatches is how many batches are left to Expr.Value after one of which it had to compute most.
const pauseBatches = 16

// Compute returns the values of the selected records, as texts. Those of rest are not among them.
func (v *Vector) Compute(batch Batch, sel records.Selection) (values records.Column, done, rest records.Selection) {
	if v.pause > 0 {
		v.pause--
		return nil, nil, sel
	}
	v.begin(batch, sel)
	values = v.root.texts(v, sel)
	done, rest = v.parts()
	if len(rest) > len(sel)/2 {
		v.pause = pauseBatches
	}
	return values, done, rest
}

// begin begins a batch.
func (v *Vector) begin(batch Batch, sel records.Selection) {
	v.batch, v.text, v.mark, v.sel = batch, batch.Text(), batch.Mark(), sel
	v.batches++
	if v.anyFail {
		v.failed, v.anyFail = [records.Max]bool{}, false
	}
}

// parts returns the records that did not fail, and those that did.
func (v *Vector) parts() (done, rest records.Selection) {
	if !v.anyFail {
		return v.sel, nil
	}
	v.done, v.rest = v.done[:0], v.rest[:0]
	for _, i := range v.sel {
		if v.failed[i] {
			v.rest = append(v.rest, i)
		} else {
			v.done = append(v.done, i)
		}
	}
	return v.done, v.rest
}

// fail leaves a record to Expr.Value.
func (v *Vector) fail(i uint16) { v.failed[i%records.Max], v.anyFail = true, true }

func (v *Vector) isNull(s records.Span) bool { return s.Len == 0 && value.IsNull(v.text, s, v.mark) }

// add adds a text that is not null.
func (v *Vector) add(text []byte) (s records.Span) {
	if len(text) == 0 {
		return v.empty()
	}
	s = v.batch.Add(text)
	v.text = v.batch.Text()
	return s
}

// empty returns an empty text that is not null.
func (v *Vector) empty() records.Span {
	return v.blank.of(v, func() records.Span {
		if len(v.text) == 0 { // what lies at the beginning is null
			v.batch.Add([]byte{0})
		}
		s := v.batch.Add([]byte{v.mark})
		v.text = v.batch.Text()
		return records.Span{Off: s.Off}
	})
}

// put adds the value of a record. A number that is no exact decimal fails.
func (v *Vector) put(i uint16, of value.Value) records.Span {
	if of.IsNull() {
		return value.Null
	}
	var textLen int
	if v.value, textLen = of.Append(v.value[:0]); textLen < len(v.value) {
		v.fail(i)
		return value.Null
	}
	return v.add(v.value)
}

// spanOnce is a text that is added to a batch once, when it is first needed.
type spanOnce struct {
	records.Span
	batch int
}

func (s *spanOnce) of(v *Vector, add func() records.Span) records.Span {
	if s.batch != v.batches {
		s.Span, s.batch = add(), v.batches
	}
	return s.Span
}

// single is a node that is computed record by record.
type single struct {
	Node
	out [records.Max]records.Span
}

func (s *single) texts(v *Vector, sel records.Selection) records.Column {
	for _, v.record = range sel {
		s.out[v.record] = v.put(v.record, s.eval(&v.row))
	}
	return s.out[:]
}
