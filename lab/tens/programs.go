package tens

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/engine/uring/ring"
	"github.com/thresh-dev/thresh/lab"
)

// The article's programs are in C. These are ours, with its two loops, compiled anew for each run. Go's
// compiler does not use vectors for the unrolled loop, the C compiler does.

//go:embed c
var sources embed.FS

// program is one of the C programs with one of the loops.
type program struct {
	id, what  string
	source    string // without .c
	unrolled  bool
	linux     bool // needs Linux
	published []lab.Published
	settings  []lab.Setting
	args      func(t lab.Task, size int64) []string // after the file
}

func programs() (all []lab.Variant) {
	warm, cold := lab.Setting{State: lab.Warm}, lab.Setting{State: lab.Cold}
	warm1 := lab.Setting{State: lab.Warm, Workers: 1}
	none := func(lab.Task, int64) []string { return nil }
	part := func(t lab.Task, size int64) []string { return []string{strconv.FormatInt(memoryBytes(t, size), 10)} }
	workers := func(t lab.Task, _ int64) []string { return []string{strconv.Itoa(t.Workers())} }
	memory := func(small, whole float64) []lab.Published {
		return []lab.Published{
			{Value: whole, Text: "50 GB"}, {Value: small, Setting: smallMemory, Text: "2 GiB, one NUMA node"},
		}
	}
	for _, p := range []program{
		{id: "c-loop", what: "C: mmap, simple loop", source: "mapped", args: none,
			published: []lab.Published{{Value: 0.61, Setting: cold}, {Value: 3.71, Setting: warm}},
			settings:  []lab.Setting{cold, warm, {State: lab.Pieces}}},
		{id: "c-unrolled", what: "C: mmap, 16 counters, vectorised", source: "mapped", unrolled: true, args: none,
			published: []lab.Published{{Value: 5.51, Setting: warm1}}, settings: oneWarm()},
		{id: "c-ram-loop", what: "C: simple loop in own memory that was read beforehand; n=25: in a small buffer",
			source: "ram", args: part, published: memory(4.76, 3.76), settings: []lab.Setting{{}, smallMemory}},
		{id: "c-ram-unrolled", what: "C: 16 counters in own memory, vectorised; n=25: in a small buffer",
			source: "ram", unrolled: true, args: part, published: memory(13.04, 7.90),
			settings: []lab.Setting{{}, smallMemory}},
		{id: "c-uring", what: "C: many direct reads by io_uring, one counting thread", source: "uring", unrolled: true,
			linux: true, args: workers, published: []lab.Published{{Value: 5.81, Setting: sixCold}},
			settings: []lab.Setting{sixCold, cold}},
	} {
		all = append(all, lab.Variant{
			ID: name + "/" + p.id, What: p.what, Published: p.published, Input: input, Settings: p.settings,
			Missing: p.missing, Run: p.run,
		})
	}
	return all
}

func (p program) missing() string {
	switch {
	case runtime.GOOS == "windows":
		return "the C programs need Unix"
	case p.linux && ring.Missing() != "":
		return ring.Missing()
	}
	if _, err := exec.LookPath("cc"); err != nil {
		return "there is no C compiler: cc is not installed"
	}
	return ""
}

// run compiles the program and runs it. The program times itself and says what it used.
func (p program) run(ctx context.Context, t lab.Task) (o lab.Outcome, err error) {
	info, err := os.Stat(t.Path)
	if err != nil {
		return o, err
	}
	folder, err := os.MkdirTemp(t.Folder, "tens-c-")
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	file, err := p.compile(ctx, folder)
	if err != nil {
		return o, err
	}
	args := append([]string{t.Path}, p.args(t, info.Size())...)
	out, err := exec.CommandContext(ctx, file, args...).Output()
	if err != nil {
		return o, fmt.Errorf("%s: %w", p.id, said(err))
	}
	o.Bytes = info.Size()
	if _, err := fmt.Sscan(string(out), &o.Answer, &o.Seconds, &o.UserSeconds, &o.SystemSeconds,
		&o.MinorFaults, &o.MajorFaults); err != nil {
		return o, fmt.Errorf("output of %s: %q: %w", p.id, out, err)
	}
	return o, nil
}

// compile returns the compiled program. The simple loop stays without vectors, as the article found it;
// newer and other compilers would use them.
func (p program) compile(ctx context.Context, folder string) (file string, err error) {
	for _, name := range []string{"count.h", p.source + ".c"} {
		text, err := sources.ReadFile("c/" + name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return "", err
		}
	}
	count, vectors := "-DCOUNT=count_loop", "-fno-tree-vectorize"
	if p.unrolled {
		count, vectors = "-DCOUNT=count_unrolled", "-ftree-slp-vectorize"
	}
	file = filepath.Join(folder, p.source)
	c := exec.CommandContext(ctx, "cc", "-std=gnu11", "-O2", vectors, count, "-pthread", "-o", file, file+".c")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile %s.c: %w: %s", p.source, err, strings.TrimSpace(string(out)))
	}
	return file, nil
}

// said adds what a program wrote to standard error to the error that it ended with.
func said(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
