package uring_test

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/uring"
)

func TestBrokenDevice(t *testing.T) {
	directFolder(t) // skips where there are no rings
	enginetest.BrokenDevice(t, uring.Open, enginetest.Traits{Name: "uring"})
}
