// Command mutate makes small random faults in the code, one at a time, and counts how many of them the tests
// notice. It works in a copy of the last commit:
//
//	go run ./scripts/mutate                     # 100 faults; hours on two cores
//	go run ./scripts/mutate -n 20 -seed 7 ./internal/scan ./serve
//
// A fault that no test notices is printed as SURVIVED. It may change nothing that matters (a size of a buffer, an
// order of work), which only a reader can tell; all others ask for a test.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// areas are the packages in which faults are made by default: the way of the data, and the servers. Kernels have
// twins, which are a stricter test.
var areas = []string{"./internal/scan/...", "./internal/engine/...", "./internal/plan/...", "./internal/search/...",
	"./internal/table/...", "./internal/json/...", "./internal/input/...", "./internal/output/...", "./internal/run/...",
	"./internal/machine/...", "./serve", "./relay", "./remote", "./wall"}

// lastPackages test whole questions; they come after the tests nearest to a fault.
var lastPackages = []string{"internal/run", ".", "internal/test/matrix", "cmd/thresh"}

const testTimeout = 5 * time.Minute // a fault may make the code wait for ever, which a test notices by this

func main() {
	n := flag.Int("n", 100, "number of faults")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the choice, printed with the score")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *n, *seed, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, n int, seed uint64, patterns []string) error {
	if len(patterns) == 0 {
		patterns = areas
	}
	folder, err := os.MkdirTemp("", "thresh-mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	tree := filepath.Join(folder, "tree")
	out, err := exec.CommandContext(ctx, "git", "worktree", "add", "--quiet", "--detach", tree).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copy the last commit: %w: %s", err, out)
	}
	defer exec.Command("git", "worktree", "remove", "--force", tree).Run() //nolint:errcheck // the folder goes in any case
	packages, err := list(ctx, tree)
	if err != nil {
		return err
	}
	chosen, err := matching(ctx, tree, patterns)
	if err != nil {
		return err
	}
	faults, err := candidates(packages, chosen)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	killed, made := 0, 0
	for made < n && ctx.Err() == nil && len(faults) > 0 {
		f := faults.take(random)
		by, compiled, err := try(ctx, tree, packages, f)
		switch {
		case err != nil:
			return err
		case !compiled || ctx.Err() != nil:
			continue
		case by == "":
			by = "SURVIVED"
		default:
			killed++
		}
		made++
		fmt.Printf("%3d %s:%d: %s: %s\n", made, strings.TrimPrefix(f.path, tree+"/"), f.line, f.what, by)
	}
	fmt.Printf("%d of %d faults were noticed, %.2f (seed %d)\n", killed, made, float64(killed)/float64(max(made, 1)), seed)
	return ctx.Err()
}

// try makes a fault, runs tests until one notices it, and takes it back. It returns which package's tests noticed.
func try(ctx context.Context, tree string, packages map[string]*listed, f fault) (by string, compiled bool, err error) {
	was, err := os.ReadFile(f.path)
	if err != nil {
		return "", false, err
	}
	faulty := string(was[:f.from]) + f.text + string(was[f.to:])
	if err := os.WriteFile(f.path, []byte(faulty), 0o600); err != nil {
		return "", false, err
	}
	defer func() {
		if back := os.WriteFile(f.path, was, 0o600); err == nil {
			err = back
		}
	}()
	if goTool(ctx, tree, "build", f.in) != nil {
		return "", false, nil
	}
	for _, name := range testsOf(packages, f.in) {
		if goTool(ctx, tree, "test", "-vet=off", "-failfast", "-timeout", testTimeout.String(), name) != nil {
			return strings.TrimPrefix(name, packages[name].Module.Path+"/"), true, nil
		}
	}
	return "", true, nil
}

// testsOf returns the packages whose tests may notice a fault in the named one, the nearest first: its own, those of
// packages that import it, and those that ask whole questions.
func testsOf(packages map[string]*listed, name string) []string {
	out := []string{}
	add := func(p *listed) {
		if slices.Contains(out, p.ImportPath) {
			return
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			out = append(out, p.ImportPath)
		}
	}
	add(packages[name])
	for _, path := range sorted(packages) {
		p := packages[path]
		if contains(p.Imports, name) || contains(p.TestImports, name) || contains(p.XTestImports, name) {
			if !last(p) {
				add(p)
			}
		}
	}
	for _, dir := range lastPackages {
		for _, p := range packages {
			if p.rel() == dir && (contains(p.Deps, name) || p.ImportPath == name) {
				add(p)
			}
		}
	}
	return out
}

// goTool runs the go command without the paths of the tree in what it builds, so that trees share a cache.
func goTool(ctx context.Context, tree string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = tree
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath")
	return cmd.Run()
}
