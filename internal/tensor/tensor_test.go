package tensor

import (
	"slices"
	"testing"
)

// The index of each value, in both orders, against nested loops.
func TestIndex(t *testing.T) {
	for _, shape := range [][]int64{{}, {7}, {2, 3}, {3, 1, 4}} {
		rows := Tensor{ItemBytes: 2, Shape: shape, Offset: 10}
		columns := rows
		columns.ColumnMajor = true
		reversed := slices.Clone(shape)
		slices.Reverse(reversed)
		n, ok := Values(shape)
		if !ok {
			t.Fatal(shape)
		}
		index, back := make([]int64, len(shape)), make([]int64, len(shape))
		for i := range n {
			if got := rows.Index(10 + 2*i); !slices.Equal(got, index) {
				t.Errorf("%v: value %d is at %v, want %v", shape, i, got, index)
			}
			got := columns.Index(10 + 2*i)
			slices.Reverse(got)
			if !slices.Equal(got, back) {
				t.Errorf("%v: value %d by columns is at %v, want the reverse of %v", shape, i, got, back)
			}
			count(index, shape)
			count(back, reversed)
		}
	}
}

// count increases the last index that can be increased.
func count(index, shape []int64) {
	for i := len(index) - 1; i >= 0; i-- {
		if index[i]++; index[i] < shape[i] {
			return
		}
		index[i] = 0
	}
}
