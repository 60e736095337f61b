package measure

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/machine"
	"github.com/thresh-dev/thresh/lab/pagecache"
)

// quickRounds are the rounds of a comparison that is only tried.
const quickRounds = 2

// compare does a comparison and keeps it. One whose files do not stay in their state is left out.
func (s *session) compare(ctx context.Context, e entry, w *work) error {
	s.report(w.label())
	rounds := cmp.Or(s.Rounds, w.experiment.Method.Runs)
	if s.Quick && s.Rounds == 0 {
		rounds = quickRounds
	}
	begin := time.Now()
	before, loadErr := machine.TakeLoad()
	c, err := w.variant.Compare(ctx, lab.Comparison{
		Thresh: s.Thresh, Self: s.Command[0], Folder: filepath.Join(s.Folder, w.experiment.Name), Bytes: w.bytes,
		Rounds: rounds, Quick: s.Quick, Log: s.Log,
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, pagecache.ErrLost):
		w.leaveOut(err)
		return nil
	case err != nil:
		e.Skipped = hidden("failed: "+err.Error(), s.hides())
	default:
		for i := range c.Rows {
			c.Rows[i].Note, c.Rows[i].Wall = hidden(c.Rows[i].Note, s.hides()), hidden(c.Rows[i].Wall, s.hides())
		}
		for i := range c.Missing {
			c.Missing[i] = hidden(c.Missing[i], s.hides())
		}
		e.Compared = &c
	}
	e.since(begin, before, loadErr)
	return s.keep(w, e)
}

// hides returns the paths of this machine, with what results say instead: they may be kept where others see them.
func (s *session) hides() map[string]string {
	hide := map[string]string{s.Folder: "DATA", s.Command[0]: "thresh-lab", os.TempDir() + "/": "TEMP/"}
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		hide[home] = "~"
	}
	if here, err := os.Getwd(); err == nil && here != "/" {
		hide[here] = "."
	}
	return hide
}

// hidden returns a text with each text of hide replaced. Longer ones go first: one path may begin another.
func hidden(text string, hide map[string]string) string {
	for _, secret := range slices.SortedFunc(maps.Keys(hide), func(a, b string) int { return len(b) - len(a) }) {
		text = strings.ReplaceAll(text, secret, hide[secret])
	}
	return text
}
