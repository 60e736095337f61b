package uring_test

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/uring"
)

func TestBrokenDevice(t *testing.T) {
	directFolder(t) // skips the test if there is no io_uring
	enginetest.BrokenDevice(t, uring.Open, enginetest.Traits{Name: "uring"})
}
