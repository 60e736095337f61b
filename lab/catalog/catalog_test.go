package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/measure"
)

// TestIDs checks that every ID that the project keeps is a variant, or, as copy/http and go/bank, the beginning
// of the IDs of several.
func TestIDs(t *testing.T) {
	var have []string
	for _, e := range All() {
		for _, v := range e.Variants {
			have = append(have, v.ID)
		}
	}
	kept := IDs()
	if len(kept) != 68 { // as CLAIMS.md has
		t.Errorf("%d IDs are kept, want 68", len(kept))
	}
	for i, id := range kept {
		if !slices.ContainsFunc(have, func(h string) bool { return h == id || strings.HasPrefix(h, id+"-") }) {
			t.Errorf("%s is not in the lab", id)
		}
		if slices.Contains(kept[:i], id) {
			t.Errorf("%s is kept twice", id)
		}
	}
}

func TestExperiments(t *testing.T) {
	if err := measure.Check(All()); err != nil {
		t.Error(err)
	}
	claims := map[string]bool{}
	for _, e := range All() {
		if e.Article.Title == "" || e.Method.Runs < 1 || (e.Metric.Of == nil) != e.Aside {
			t.Errorf("%s: article %+v, method %+v", e.Name, e.Article, e.Method)
		}
		for _, v := range e.Variants {
			if name, _, _ := strings.Cut(v.ID, "/"); name != e.Name || v.What == "" {
				t.Errorf("%s in experiment %s: %q", v.ID, e.Name, v.What)
			}
		}
		for _, c := range e.Claims {
			if claims[c.ID] || c.Text == "" || c.Theirs == "" {
				t.Errorf("claim %+v", c)
			}
			claims[c.ID] = true
			if v := c.Judge(e, lab.Results{}); v.Holds != lab.Untested || v.Why == "" {
				t.Errorf("%s without measurements: %+v", c.ID, v)
			}
		}
	}
	// Of CLAIMS.md: N1 to N10, D1 to D7, T1 to T4, Z1 to Z5, S1 to S5.
	for _, id := range strings.Fields("N1 N2 N3 N4 N5 N6 N7 N8 N9 N10 D1 D2 D3 D4 D5 D6 D7 T1 T2 T3 T4 Z1 Z2 Z3 Z4 Z5 S1 S2 S3 S4 S5") {
		if !claims[id] {
			t.Errorf("no claim %s", id)
		}
	}
}

func TestNamed(t *testing.T) {
	two, err := Named("tens", "needle")
	if err != nil || len(two) != 2 || two[0].Name != "needle" || two[1].Name != "tens" {
		t.Errorf("%v, error %v", two, err)
	}
	if all, err := Named(); err != nil || len(all) != 6 {
		t.Errorf("%d experiments, error %v", len(all), err)
	}
	if _, err := Named("needle", "nedle"); err == nil || !strings.Contains(err.Error(), `"nedle"`) {
		t.Errorf("error %v", err)
	}
}

// TestRivals checks with which variants this project's own are compared: with those that do the same.
func TestRivals(t *testing.T) {
	for own, want := range map[string]struct{ rivals, others string }{
		"needle/thresh":      {"v01 v14 cmp grep", "fio-direct"},
		"donations/thresh":   {"java-9 rev0 rev10 nogc duckdb mawk", "read-text read-bytes wc rg"},
		"tens/thresh":        {"loop-cold uring pread-parallel c-unrolled", ""},
		"copy/serve":         {"raw http-fileserver http-range nginx", "splice relay32 haproxy relay"},
		"copy/relay":         {"splice relay32 haproxy", "raw nginx serve"},
		"simd/minify-thresh": {"minify-memory minify-register", "divide divide-vectors nonzero-neon"},
	} {
		e, v := find(t, own)
		for list, same := range map[string]bool{want.rivals: true, want.others: false} {
			for _, id := range strings.Fields(list) {
				_, other := find(t, e.Name+"/"+id)
				if got := other.Work == v.Work && other.Input == v.Input; got != same {
					t.Errorf("%s is compared with %s: %t", own, id, got)
				}
			}
		}
		if !v.Product {
			t.Errorf("%s is not the project's own", own)
		}
	}
}

func find(t *testing.T, id string) (*lab.Experiment, lab.Variant) {
	t.Helper()
	for _, e := range All() {
		for _, v := range e.Variants {
			if v.ID == id {
				return e, v
			}
		}
	}
	t.Fatalf("no variant %s", id)
	return nil, lab.Variant{}
}
