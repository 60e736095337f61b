package donations

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/thresh-dev/thresh/lab"
)

//go:embed peers/donations.awk
var awkProgram string

//go:embed peers/duckdb.py
var duckDBScript string

//go:embed peers/polars.py
var polarsScript string

// peers returns other programs that answer the four questions. DuckDB and Polars time their queries
// themselves, so the start of the interpreter does not count.
func peers() []lab.Variant {
	return []lab.Variant{
		peer("duckdb", "DuckDB, from Python", python("duckdb", duckDBScript)),
		peer("polars", "Polars, from Python", python("polars", polarsScript)),
		peer("mawk", "mawk, one pass", program{
			missing: func() string { return notInstalled("mawk") },
			command: func(path string) []string { return []string{"mawk", "-F|", awkProgram, path} },
		}),
	}
}

// program is how another program is found and called.
type program struct {
	missing func() string
	command func(path string) []string
}

func peer(id, what string, p program) lab.Variant {
	return lab.Variant{
		ID: "donations/" + id, What: what, Peer: true, Input: input, WantOf: byQuestion.want,
		Settings: []lab.Setting{warm(0)}, Missing: p.missing,
		Run: func(ctx context.Context, t lab.Task) (lab.Outcome, error) {
			command := p.command(t.Path)
			return runProgram(ctx, t, byQuestion, command[0], command[1:]...)
		},
	}
}

// python returns a script that needs a package: with the interpreter that scripts/bench-setup.sh made,
// or with the one on the PATH.
func python(needs, script string) program {
	return program{
		missing: func() string {
			if interpreterWith(needs) == "" {
				return "no Python with the package " + needs
			}
			return ""
		},
		command: func(path string) []string { return []string{interpreterWith(needs), "-c", script, path} },
	}
}

// hasPackage is a script that fails if there is no such package.
const hasPackage = "import sys, importlib.util; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"

// interpreterWith returns a Python interpreter that has the package, "" if there is none.
func interpreterWith(needs string) string {
	candidates := []string{"python3"}
	if cache, err := os.UserCacheDir(); err == nil {
		candidates = []string{filepath.Join(cache, "thresh", "venv", "bin", "python"), "python3"}
	}
	for _, name := range candidates {
		if exec.Command(name, "-c", hasPackage, needs).Run() == nil {
			return name
		}
	}
	return ""
}
