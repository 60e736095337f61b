package mmap_test

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/mmap"
)

func TestBrokenDevice(t *testing.T) {
	enginetest.BrokenDevice(t, mmap.Open, enginetest.Traits{Name: "mmap"})
}
