package filter

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// TestFewTexts compares the selector for few short texts with the one for any texts.
func TestFewTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	short := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(v) > wordBytes })
	kept := 0
	for range rounds.Of(300) {
		table := newTable(r, 1+r.IntN(200), func() string { return values[r.IntN(len(values))] })
		n := &member{left: operand{column: r.IntN(len(names)), slice: key.Whole()}}
		if r.IntN(3) == 0 {
			n.left.slice = key.Slice{From: r.IntN(2), To: 2 + r.IntN(8)}
		}
		texts := map[string]bool{}
		for range 1 + r.IntN(fewTexts) {
			text := short[r.IntN(len(short))]
			n.texts, texts[text] = append(n.texts, text), true
		}
		var sel records.Selection
		for i := range table.fields {
			if r.IntN(4) > 0 {
				sel = append(sel, uint16(i))
			}
		}
		b := &batch{text: table.text, column: table.column}
		any := &memberSelector{fields: fieldsOf(n.left), texts: texts}
		got, want := newFewSelector(n).keep(b, slices.Clone(sel)), any.keep(b, slices.Clone(sel))
		if !slices.Equal(got, want) {
			t.Fatalf("%q: got %v, want %v", n.texts, got, want)
		}
		kept += len(got)
	}
	if kept == 0 {
		t.Error("no field was one of the texts")
	}
}
