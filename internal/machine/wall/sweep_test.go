package wall

import (
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// TestSweepWaits: a sweep ends after its last visit, and returns the visit's error.
func TestSweepWaits(t *testing.T) {
	visited := make([]bool, 2)
	err := sweep(t.Context(), 2, source.Range{Off: 0, End: 2 * probePieceBytes}, func(_ int, piece source.Range) error {
		time.Sleep(time.Millisecond) // so that a sweep that does not wait is over
		visited[piece.Off/probePieceBytes] = true
		return nil
	})
	if err != nil || !visited[0] || !visited[1] {
		t.Errorf("visited %v, %v", visited, err)
	}
}
