package pread_test

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/pread"
)

func TestBrokenDevice(t *testing.T) {
	enginetest.BrokenDevice(t, pread.Open, enginetest.Traits{Name: "pread"})
}
