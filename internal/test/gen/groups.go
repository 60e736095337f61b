package gen

import (
	"io"
	"strconv"
)

// Groups writes rows to group by: a header, three texts and three integers that are keys, and three numbers that are
// not. Four of the keys have so many values, and the third and the sixth have rows divided by that. With nulls, one
// field of twenty is empty.
func Groups(w io.Writer, rows, keys int64, nulls bool, seed uint64) error {
	few, many := int(max(1, keys)), int(max(1, rows/max(1, keys)))
	columns := []func(d *dice, out []byte) []byte{
		numberedText("id", few, 3), numberedText("id", few, 3), numberedText("id", many, 10),
		upTo(few), upTo(few), upTo(many), upTo(5), upTo(15),
		func(d *dice, out []byte) []byte {
			return d.digits(append(strconv.AppendInt(out, int64(d.below(100)), 10), '.'), 6)
		},
	}
	header := func(out []byte) []byte { return append(out, "id1,id2,id3,id4,id5,id6,v1,v2,v3\n"...) }
	return writeRows(w, rows, seed, func(d *dice, row int64) func([]byte) []byte {
		return func(out []byte) []byte {
			if row == 0 {
				out = header(out)
			}
			row++
			for _, column := range columns {
				if !nulls || !d.oneIn(20) {
					out = column(d, out)
				}
				out = append(out, ',')
			}
			out[len(out)-1] = '\n'
			return out
		}
	})
}

// GroupsColumns returns pairs of the columns' names and SQL's types.
func GroupsColumns() []string {
	return []string{"id1", "VARCHAR", "id2", "VARCHAR", "id3", "VARCHAR", "id4", "BIGINT", "id5", "BIGINT",
		"id6", "BIGINT", "v1", "BIGINT", "v2", "BIGINT", "v3", "DOUBLE"}
}

// upTo makes integers from 1 to n.
func upTo(n int) func(d *dice, out []byte) []byte {
	return func(d *dice, out []byte) []byte { return appendInt(out, 1+d.below(n)) }
}

// numberedText makes texts of a prefix and a number from 1 to n with at least so many digits.
func numberedText(prefix string, n, digits int) func(d *dice, out []byte) []byte {
	return func(d *dice, out []byte) []byte {
		number := strconv.Itoa(1 + d.below(n))
		out = append(out, prefix...)
		for range digits - len(number) {
			out = append(out, '0')
		}
		return append(out, number...)
	}
}
