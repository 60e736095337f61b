package hashjoin

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestFind: rows are found by their keys, in the order in which they were added, with their fields.
func TestFind(t *testing.T) {
	for _, size := range []int{1, 100, 0} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			if size > 0 {
				threshold.Shrink(t, size)
			}
			r := rand.New(rand.NewPCG(1, 2))
			table, want := New(1<<30), map[string][]string{}
			var keys []string
			for n := range 3000 {
				key := strings.Repeat("k", r.IntN(200)*r.IntN(2)) + fmt.Sprint(r.IntN(2000))
				field := []byte(strings.Repeat("x", []int{0, 1, 126, 127, 128, 20000}[r.IntN(6)]*r.IntN(2)) + fmt.Sprint(n))
				fields := [][]byte{field, nil, {}}
				if err := table.Add(AppendRow(nil, []byte(key), fields)); err != nil {
					t.Fatal(err)
				}
				keys, want[key] = append(keys, key), append(want[key], string(field))
			}
			if err := table.Add(AppendRow(nil, nil, [][]byte{[]byte("of a null key"), nil, nil})); err != nil {
				t.Fatal(err)
			}
			table.Index()
			if table.Unique() || !table.NullKeys() || table.Rows() != 3001 {
				t.Fatalf("unique %v, nulls %v, %d rows", table.Unique(), table.NullKeys(), table.Rows())
			}
			var rows [records.Max]Row
			for _, key := range append(keys, "", "k", "2001") {
				text := []byte("before" + key + "after")
				spans := make(records.Column, 8)
				spans[7] = records.Span{Off: 6, Len: uint32(len(key))}
				table.Find(text, spans, records.Selection{7}, &rows)
				var got []string
				for row := rows[7]; row != 0; row = table.Next(row) {
					fields := table.Fields(row)
					from, n, end, null := CutField(fields)
					got = append(got, string(fields[from:from+n]))
					_, _, end2, null2 := CutField(fields[end:])
					_, n3, end3, null3 := CutField(fields[end+end2:])
					if null || !null2 || null3 || n3 != 0 || end+end2+end3 != len(fields) {
						t.Fatalf("%q: fields %v %v %v", key, null, null2, null3)
					}
				}
				if fmt.Sprint(got) != fmt.Sprint(want[key]) {
					t.Fatalf("%q: %d rows, want %d", key, len(got), len(want[key]))
				}
			}
		})
	}
}

// TestBound: a table refuses rows that do not fit, and counts what its lists take.
func TestBound(t *testing.T) {
	for _, most := range []int64{0, 1 << 20, 5 << 20} {
		table := New(most)
		row := AppendRow(nil, []byte("key"), nil)
		var err error
		for err == nil {
			err = table.Add(row)
		}
		if !errors.Is(err, ErrFull) || table.Bytes() < most || int64(table.Rows())*(unit+slotsBytes) > most+2<<20 {
			t.Errorf("bound %d: %v after %d rows, %d bytes", most, err, table.Rows(), table.Bytes())
		}
	}
}

// TestEmpty: a table without rows has none.
func TestEmpty(t *testing.T) {
	table := New(0)
	table.Index()
	var rows [records.Max]Row
	rows[0] = 7
	table.Find([]byte("a"), records.Column{{Off: 0, Len: 1}}, records.Selection{0}, &rows)
	if rows[0] != 0 || !table.Unique() || table.NullKeys() {
		t.Error("an empty table has a row")
	}
}
