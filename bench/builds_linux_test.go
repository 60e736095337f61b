package main

import (
	"math"
	"strings"
	"testing"
)

func TestCompareCalls(t *testing.T) {
	find, count := call{"rows find", "avx2", 4096}, call{"rows count", "avx2", 4096}
	short, other := call{"rows find", "avx2", 7}, call{"rows find", "avx2", 9}
	theirs := []callTimes{{find: 100, count: 300, short: 5, other: 6}, {find: 200, count: 100, short: 6, other: 5}}
	ours := []callTimes{{find: 80, count: 125, short: 9, other: 6}, {find: 160, count: 250, short: 8, other: 7}}
	rows, err := compareCalls(ours, theirs)
	if err != nil || len(rows) != 2 {
		t.Fatalf("%v, %+v; want a row for 4096 bytes and one for less than 64", err, rows)
	}
	less, whole := rows[0], rows[1]
	if less.Peer != "rows, below 64 bytes" || !less.Number.same(summary{2, 1, 3, 2, nil}) || !less.Target.met(less.Number.Median) ||
		less.Note != "rows find avx2, the slowest of the family" {
		t.Errorf("short calls: %+v", less)
	}
	// One kernel gains as much as the other loses.
	if whole.Peer != "rows, 4096 bytes" || math.Abs(whole.Number.Median-1) > 1e-9 || whole.Number.Low != 0.8 ||
		whole.Number.High != 1.25 || whole.Note != "rows count avx2 has 0.80" {
		t.Errorf("long calls: %+v", whole)
	}
	delete(theirs[0], find)
	delete(theirs[1], find)
	if _, err := compareCalls(ours, theirs); err == nil || !strings.Contains(err.Error(), "different variants") {
		t.Errorf("a variant is missing on one side: %v", err)
	}
}
