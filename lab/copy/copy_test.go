package copy

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if handled, status := Child(os.Args[1:]); handled {
		os.Exit(status)
	}
	goleak.VerifyTestMain(m)
}
