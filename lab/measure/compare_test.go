package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
)

// TestCompare does comparisons once, keeps what they gave without the paths of this machine, goes on after one that
// fails, and leaves out by name what does not stay in its state.
func TestCompare(t *testing.T) {
	o := options(t)
	o.Only, o.Thresh, o.Log, o.Rounds, o.Bytes = nil, "/some/thresh", io.Discard, 3, 1<<20
	var asked []string
	e := &lab.Experiment{Name: "some", Method: lab.Method{Runs: 7}, Variants: []lab.Variant{
		{ID: "some/good", Compare: func(_ context.Context, c lab.Comparison) (lab.Compared, error) {
			asked = append(asked, fmt.Sprint("good ", c.Thresh, " ", c.Rounds, " ", c.Bytes, " ", c.Quick))
			return lab.Compared{Rows: []lab.Row{{Case: "good", Note: "reads " + c.Folder + "/file"}}, Missing: []string{c.Self + " is away"}}, nil
		}},
		{ID: "some/fails", Compare: func(_ context.Context, c lab.Comparison) (lab.Compared, error) {
			asked = append(asked, "fails")
			return lab.Compared{}, errors.New("wrong answer in " + c.Folder)
		}},
		{ID: "some/lost", Compare: func(context.Context, lab.Comparison) (lab.Compared, error) {
			asked = append(asked, "lost")
			return lab.Compared{}, fmt.Errorf("file: %w", pagecache.ErrLost)
		}},
		{ID: "some/absent", Missing: func() string { return "no rg" },
			Compare: func(context.Context, lab.Comparison) (lab.Compared, error) { panic("it runs") }},
	}}
	run := func() lab.Results {
		t.Helper()
		r, err := Run(context.Background(), o, []*lab.Experiment{e})
		if err != nil || len(r.Measurements) != 4 || r.Unfinished != nil {
			t.Fatalf("%+v, error %v", r, err)
		}
		return r
	}
	r := run()
	good := only(t, r, "some/good")
	if good.Compared == nil || good.Compared.Rows[0].Note != "reads DATA/some/file" || good.Compared.Missing[0] != "thresh-lab is away" || good.Fewer != "" {
		t.Errorf("%+v", good)
	}
	for id, why := range map[string]string{"fails": "failed: wrong answer in DATA/some", "lost": "left out: file: ", "absent": "no rg"} {
		if m := only(t, r, "some/"+id); !strings.HasPrefix(m.Skipped, why) || m.Compared != nil {
			t.Errorf("%s: %+v, want %q", id, m, why)
		}
	}
	want := []string{"good /some/thresh 3 1048576 false", "fails", "lost"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	// What was lost is tried again by the next session, the others are known.
	if run(); !slices.Equal(asked, append(want, "lost")) {
		t.Errorf("asked %q by two sessions", asked)
	}
	o.Fresh, o.Rounds, o.Quick, asked = true, 0, true, nil
	if run(); asked[0] != fmt.Sprintf("good /some/thresh %d 1048576 true", quickRounds) {
		t.Errorf("asked %q", asked)
	}
	o.Profile, o.Journal = true, o.Journal+".profiles"
	if r, err := Run(context.Background(), o, []*lab.Experiment{e}); err != nil || len(r.Measurements) > 0 {
		t.Errorf("profiles of comparisons: %+v, error %v", r, err)
	}
}

func TestHidden(t *testing.T) {
	hide := map[string]string{"/home/someone": "~", "/home/someone/data": "DATA"}
	if got := hidden("of /home/someone/data/log by /home/someone/rg", hide); got != "of DATA/log by ~/rg" {
		t.Errorf("%q", got)
	}
}
