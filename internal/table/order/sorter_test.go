package order

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestSorter sorts random rows by several sorters, with and without a limit, in memory and with runs of any size.
func TestSorter(t *testing.T) {
	for _, size := range []int{0, 1, 7, 64, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			if size > 0 {
				threshold.Shrink(t, size)
			}
			t.Setenv("TMPDIR", t.TempDir())
			for seed := range rounds.Of(40) {
				testSorter(t, rand.New(rand.NewPCG(uint64(seed), uint64(size))))
			}
			if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
				t.Errorf("left: %v %v", left, err)
			}
		})
	}
}

func testSorter(t *testing.T, r *rand.Rand) {
	t.Helper()
	var all [][2]string
	n := []int{0, 1, 50, 3000}[r.IntN(4)]
	for i := range n {
		key := fmt.Sprintf("%s%d/%06d", strings.Repeat("k", r.IntN(3)*r.IntN(3)), r.IntN(100), i)
		length := r.IntN(30)
		if r.IntN(500) == 0 {
			length = 1 << r.IntN(15)
		}
		all = append(all, [2]string{key, fmt.Sprint(i) + strings.Repeat("x", length)})
	}
	first := []int{0, 0, 1, 10, n, 2 * n}[r.IntN(6)]
	workers := 1 + r.IntN(3)
	var bound *Bound
	if first > 0 {
		bound = new(Bound)
	}
	var sorters []*Sorter
	for range workers {
		s, err := New(Options{MemBytes: 1 << (10 + r.IntN(14)), First: int64(first), Bound: bound})
		if err != nil {
			t.Fatal(err)
		}
		sorters = append(sorters, s)
	}
	for _, row := range all {
		if s := sorters[r.IntN(workers)]; s.Wants([]byte(row[0])) {
			if err := s.Add([]byte(row[0]), []byte(row[1])); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	err := Merge(context.Background(), sorters, workers, func(rows Rows) error {
		for from, i := 0, 0; i < len(rows.Ends); i++ {
			got = append(got, string(rows.Text[from:rows.Ends[i]]))
			from = rows.Ends[i]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	var want []string
	for _, row := range all {
		want = append(want, row[1])
	}
	if first > 0 {
		want, got = want[:min(len(want), first)], got[:min(len(got), first)]
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%d rows, first %d, %d workers: %d rows, want %d: %.300q, want %.300q", n, first, workers, len(got), len(want), got, want)
	}
	for _, s := range sorters {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMergeEnds: an error of yield, or the end of the context, ends the merge.
func TestMergeEnds(t *testing.T) {
	threshold.Shrink(t, 1)
	for _, spilled := range []bool{false, true} {
		s, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			text := bytes.Repeat([]byte("x"), map[bool]int{true: 100, false: 1}[spilled])
			if err := s.Add(fmt.Appendf(nil, "%03d", i*7%200), text); err != nil {
				t.Fatal(err)
			}
		}
		wrong, yields := errors.New("wrong"), 0
		ctx, cancel := context.WithCancel(context.Background())
		err = Merge(ctx, []*Sorter{s}, 2, func(Rows) error {
			yields++
			if spilled {
				return wrong
			}
			cancel()
			return nil
		})
		if want := map[bool]error{false: context.Canceled, true: wrong}[spilled]; err != want || yields != 1 {
			t.Errorf("%d yields, %v, want %v", yields, err, want)
		}
		cancel()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestRows(t *testing.T) {
	rows := Rows{Text: []byte("abbccc"), Ends: []int{1, 3, 6}}
	if got := string(rows.From(1).To(1).Text); got != "bb" {
		t.Error(got)
	}
	if got := rows.From(3); len(got.Text) != 0 || len(got.Ends) != 0 {
		t.Error(got)
	}
	if got := rows.To(0); len(got.Text) != 0 || len(got.Ends) != 0 {
		t.Error(got)
	}
}
