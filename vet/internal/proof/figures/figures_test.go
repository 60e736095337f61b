package main

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/vet/internal/proof"
)

// TestResults holds figures.json to the shapes: all are measured, and the path is as the proofs say.
func TestResults(t *testing.T) {
	all, err := readResults("figures.json")
	if err != nil {
		t.Fatal(err)
	}
	names, err := proof.Shapes("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range names {
		r, measured := all.Shapes[name]
		if name == "plain" {
			continue
		}
		if !measured || r.Flagged.SecondsPerGiB <= 0 || r.Fixed.SecondsPerGiB <= 0 {
			t.Errorf("%s is not measured: %+v", name, r)
		}
		if strings.HasPrefix(name, "found") && name != "foundtee" { // its rule is about counts
			found++
			if r.Flagged.Kept || !r.Fixed.Kept || r.Fixed.CallsPerGiB >= r.Flagged.CallsPerGiB {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d losses are reproduced", found)
	}
	again := filepath.Join(t.TempDir(), "figures.json")
	if err := all.write(again); err != nil {
		t.Fatal(err)
	}
	if read, err := readResults(again); err != nil || !reflect.DeepEqual(read, all) {
		t.Errorf("%+v, %v", read, err)
	}
}

func TestTables(t *testing.T) {
	r := &results{Machine: "a machine", Shapes: map[string]result{
		"foundgin": {Flagged: figures{0.5, 65536, false, 0}, Fixed: figures{0.25, 512, true, 1}},
	}}
	want := "flagged | 65536 | 0.50 s | copied | – |\n| | mended | 512 | 0.25 s | in the kernel | 100 % |"
	if got := r.table([]string{"foundgin"}); !strings.Contains(got, want) {
		t.Error(got)
	}
}
