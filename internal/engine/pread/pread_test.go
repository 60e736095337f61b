package pread_test

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"github.com/thresh-dev/thresh/internal/engine/pread"
)

func TestEngine(t *testing.T) {
	enginetest.Run(t, pread.Open, enginetest.Traits{Name: "pread"})
}
