package gen

import (
	"fmt"
	"io"
	"strconv"
)

// Prices writes rows of a group, a comma, and a price below 100,000 with two decimals. The groups take
// turns, so their numbers of rows differ by at most one.
func Prices(w io.Writer, rows, groups int64, seed uint64) error {
	if groups < 1 {
		return fmt.Errorf("make prices: %d groups: at least 1 is needed", groups)
	}
	return writeRows(w, rows, seed, func(d *dice, row int64) func([]byte) []byte {
		return func(out []byte) []byte {
			out = append(strconv.AppendInt(append(out, "group-"...), row%groups, 10), ',')
			row++
			out = append(strconv.AppendInt(out, int64(d.below(100_000)), 10), '.')
			return append(twoDigits(out, d.below(100)), '\n')
		}
	})
}
