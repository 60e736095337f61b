package blank

import (
	"context"
	"testing"
	"time"
)

// TestProbe reads at random places of a range: of files with holes only where they have data.
func TestProbe(t *testing.T) {
	full, ragged := write(t, make([]byte, 3<<20)), write(t, make([]byte, 1<<20+4096))
	for what, c := range map[string]struct {
		names  []string
		o      Options
		probed bool
	}{
		"one file":            {[]string{full}, Options{}, true},
		"two files":           {[]string{full, ragged}, Options{}, true},
		"from an odd offset":  {[]string{full}, Options{Offset: 1<<20 - 5}, true},
		"less than one piece": {[]string{full}, Options{Offset: 2<<20 + 1}, false},
		"the page cache":      {[]string{full}, Options{Cached: true}, false},
		"one is not direct":   {[]string{full, "cached"}, Options{}, false},
	} {
		var inputs []*Input
		for _, name := range c.names {
			o := c.o
			if name == "cached" {
				name, o.Cached = ragged, true
			}
			o.Pattern, o.Limit = Zero, 1
			in, err := Open(name, nil, o)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			c.probed = c.probed && (o.Cached || in.Engine == "direct") // a temporary folder in memory
			inputs = append(inputs, in)
		}
		rate, err := probeStorage(context.Background(), 20*time.Millisecond, inputs)
		if err != nil || (rate > 0) != c.probed {
			t.Errorf("%s: %v GB/s, %v", what, rate, err)
		}
	}
}
