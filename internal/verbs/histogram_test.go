package verbs

import (
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/output/charts"
)

func TestDrawn(t *testing.T) {
	h := &answer.Histogram{Below: 1, NaN: 2, Bins: []answer.Bin{
		{Low: "0", High: "10", Count: 40}, {Low: "10", High: "20", Count: 0}, {Low: "20", High: "30", Count: 1},
		{Low: "30", High: "40"}, {Low: "40", High: "50"}, {Low: "50", High: "60"}, {Low: "60", High: "70"},
		{Low: "70", High: "80", Count: 20},
	}}
	const want = "" +
		" from  count\n" +
		"below   1 ▎\n" +
		"    0  40 ██████████\n" +
		"   10   0\n" +
		"   20   1 ▎\n" +
		"  ...\n" +
		"   70  20 █████\n" +
		"  NaN   2 ▌\n"
	if got := drawn(h).AppendText(nil, charts.Look{Width: 20}); string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
