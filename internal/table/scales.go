package table

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// scalesIn returns the scale of each number column: how many digits after the point its integers
// hold. It is as large as the size of the numbers at the start of the input allows. The scale
// only affects speed: numbers that do not fit take the slow path.
func (r *Run) scalesIn(head []byte) []int {
	scales := make([]int, len(r.query.Numbers))
	for i := range scales {
		scales[i] = decimal.ScaleMax
	}
	head = head[min(r.query.First.Begin, int64(len(head))):]
	see := func(number int, value []byte) {
		whole := value
		if point := bytes.IndexByte(value, '.'); point >= 0 {
			whole = value[:point]
		}
		scales[number] = max(0, min(scales[number], roomDigits-len(bytes.TrimLeft(whole, "+-0"))))
	}
	if r.query.Dialect.JSON {
		r.eachNumber(head, see)
		return scales
	}
	for len(head) > 0 {
		n, _ := r.query.Dialect.RecordLen(head)
		r.query.Dialect.EachField(query.TrimEnd(head[:n]), func(field int, text []byte) {
			for i, column := range r.query.Numbers {
				if column == field {
					see(i, r.query.Dialect.Quoting().Unquote(nil, text))
				}
			}
		})
		head = head[n:]
	}
	return scales
}

// roomDigits is how many digits the numbers at the start may have at the chosen scale. It leaves
// room for numbers a thousand times as large.
const roomDigits = 15
