package gen

import (
	"fmt"
	"io"
	"strconv"
)

// Keys writes rows of a key, a comma and a number from 0 to 999. If there are enough rows, exactly
// this many keys are distinct. Keys have 12 to 20 bytes. Each key occurs once in a fixed order, with
// random repetitions in between.
func Keys(w io.Writer, rows, distinct int64, seed uint64) error {
	if distinct < 1 {
		return fmt.Errorf("make keys: %d distinct keys: at least 1 is needed", distinct)
	}
	stride := max(1, rows/distinct)
	return writeRows(w, rows, seed, func(d *dice, row int64) func([]byte) []byte {
		return func(out []byte) []byte {
			key := int64(d.below(int(distinct)))
			if row%stride == 0 && row/stride < distinct {
				key = row / stride
			}
			row++
			out = append(appendKey(out, uint64(key)^seed<<40), ',')
			return append(strconv.AppendInt(out, int64(d.below(1000)), 10), '\n')
		}
	})
}

// SkewedKeys writes the same rows, in which some keys are frequent and most are rare: the smaller its number, the
// more frequent a key is. At most this many keys are distinct.
func SkewedKeys(w io.Writer, rows, distinct int64, seed uint64) error {
	if distinct < 1 {
		return fmt.Errorf("make keys: %d distinct keys: at least 1 is needed", distinct)
	}
	return writeRows(w, rows, seed, func(d *dice, _ int64) func([]byte) []byte {
		return func(out []byte) []byte {
			key := d.below(1 + d.below(1+d.below(int(distinct))))
			out = append(appendKey(out, uint64(key)^seed<<40), ',')
			return append(strconv.AppendInt(out, int64(d.below(1000)), 10), '\n')
		}
	})
}

// appendKey appends the key with a number. Different numbers give different keys, because the
// mixing function, that of splitmix64, is a bijection.
func appendKey(out []byte, n uint64) []byte {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	n ^= n >> 31
	const signs = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
	const signsOf64Bits = 11
	length := signsOf64Bits + 1 + int(n%9)
	for i := range length {
		out = append(out, signs[(n>>(6*i%66))&63])
	}
	return out
}
