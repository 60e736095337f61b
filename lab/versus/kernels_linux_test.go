package versus

import (
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

// TestCompareKernels: the chosen variant is compared with each other, and only a vector variant is a target.
func TestCompareKernels(t *testing.T) {
	ask := sh(`echo '[{"kernel":"k","chosen":"avx2","gb_per_s":{"avx2":20,"avx512":40,"plain":5}},{"kernel":"one","chosen":"plain","gb_per_s":{"plain":1}}]'`, "")
	got, err := compareKernels(t.Context(), 3, ask)
	if err != nil || len(got.Rows) != 2 {
		t.Fatalf("%+v, error %v", got, err)
	}
	wide, plain := got.Rows[0], got.Rows[1]
	m := &lab.Measurement{}
	if wide.Peer != "avx512" || wide.Number.Median != 0.5 || wide.Number.Rounds != 3 || wide.Verdict(m) != lab.Missed || wide.ThreshRate != 20 {
		t.Errorf("%+v", wide)
	}
	if plain.Peer != "plain" || plain.Number.Median != 4 || plain.Verdict(m) != lab.Info || plain.Note != "chosen: avx2" {
		t.Errorf("%+v", plain)
	}
	if _, err := compareKernels(t.Context(), 1, sh("echo no", "")); err == nil {
		t.Error("no error for another answer")
	}
}
