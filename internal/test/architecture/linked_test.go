package architecture

import (
	"os/exec"
	"strings"
	"testing"
)

// TestMainProgramIsSmall keeps the linter, and what it is made of, out of the program that people copy
// to servers.
func TestMainProgramIsSmall(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "./cmd/thresh")
	list.Dir = root
	out, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", list.Args, err, out)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 100 {
		t.Fatalf("only %d packages: is this the list?", len(deps))
	}
	for _, d := range deps {
		for _, unwanted := range []string{module + "/vet", "golang.org/x/tools", "go/types", "github.com/golangci"} {
			if d == unwanted || strings.HasPrefix(d, unwanted+"/") {
				t.Errorf("cmd/thresh links %s", d)
			}
		}
	}
}
