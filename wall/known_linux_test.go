package wall_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/walls"
)

// TestMain makes this binary the helper of the commands.
func TestMain(m *testing.M) {
	walls.Help()
	os.Exit(m.Run())
}

// TestKnownWalls runs commands whose walls are known.
func TestKnownWalls(t *testing.T) {
	for _, known := range walls.Known {
		t.Run(known.Name, func(t *testing.T) {
			if !known.Busy {
				t.Parallel()
			}
			// What a busy machine hides for a moment shows in another.
			var seen []string
			for range 5 {
				r, err := known.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if known.Right(r) {
					return
				}
				seen = append(seen, fmt.Sprintf("%s\n%+v", r.Sentence, r.Evidence))
			}
			t.Errorf("%s: want %s, got\n%s", known.Line, known.Want, strings.Join(seen, "\n"))
		})
	}
}
