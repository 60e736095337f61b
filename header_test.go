package thresh_test

import (
	"strings"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
)

// TestHasHeader: names in a question or the filter take the first record for the header, unless the dialect says it.
func TestHasHeader(t *testing.T) {
	plain := options.Dialect{Delim: ',', Quote: '"'}
	for _, c := range []struct {
		where string
		ask   thresh.Question
		named bool
	}{
		{"", thresh.RecordCount{}, false},
		{"1 = 2", thresh.Groups{Keys: "1,$2 + 1", Aggregates: "count,sum(3)", Having: "count > 1", OrderBy: "count"}, false},
		{"a = 2", thresh.RecordCount{}, true},
		{"", thresh.Groups{Keys: "1,a"}, true},
		{"", thresh.Groups{Aggregates: "sum(`1`)"}, true},
		{"", thresh.Groups{Having: "max(a) > 1"}, true},
		{"", thresh.Select{OrderBy: "a"}, true},
		{"", thresh.Select{OrderBy: "1"}, false},
		{"", thresh.Records{Columns: []string{"1", "a"}}, true},
		{"", thresh.Sample{Size: 1, Columns: []string{"a"}}, true},
		{"", thresh.TopKeys{Keys: "a[:2]"}, true},
		{"", thresh.Columns{}, false},
	} {
		spec := thresh.TableSpec{Dialect: plain, Where: c.where, Questions: []thresh.Question{c.ask}}
		if got := spec.HasHeader(); got != c.named {
			t.Errorf("%q %+v: %v, want %v", c.where, c.ask, got, c.named)
		}
		spec.Dialect.NoHeader = true
		if spec.HasHeader() {
			t.Errorf("%q %+v: NoHeader is ignored", c.where, c.ask)
		}
	}
	both := options.Dialect{Delim: ',', Header: true, NoHeader: true}
	spec := thresh.TableSpec{Dialect: both, Questions: []thresh.Question{thresh.RecordCount{}}}
	_, err := thresh.Table(t.Context(), thresh.FromBytes(nil), spec, options.Scan{}, new(answer.Tables))
	if err == nil || !strings.Contains(err.Error(), "contradict") {
		t.Errorf("Header and NoHeader: %v", err)
	}
}
