package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// builds are the two builds of thresh: the ordinary one with assembly kernels, and the one with
// GOEXPERIMENT=simd, with the Go kernels from which the assembly is generated.
type builds struct{ assembly, archsimd string }

// builds makes both builds as make does. It fails if a build has no vector kernels.
func (b *bench) builds(ctx context.Context) (made builds, err error) {
	if made.assembly, err = b.build(ctx, "assembly", ""); err != nil {
		return made, err
	}
	made.archsimd, err = b.build(ctx, "archsimd", "simd")
	return made, err
}

// build builds thresh with a GOEXPERIMENT and returns its path. Its kernels must have that origin.
func (b *bench) build(ctx context.Context, origin, experiment string) (string, error) {
	program := filepath.Join(b.data.folder, "thresh-"+origin)
	args := []string{"build", "-trimpath", "-buildvcs=false", "-o", program}
	if runtime.GOARCH == "amd64" {
		args = append(args, "-ldflags=-E main.entry")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "github.com/thresh-dev/thresh/cmd/thresh")...)
	cmd.Env = append(os.Environ(), "GOEXPERIMENT="+experiment, "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build with GOEXPERIMENT=%s: %w\n%s", experiment, err, out)
	}
	kernels, err := exec.CommandContext(ctx, program, "limits", "--kernels", "nonzero").Output()
	if err != nil {
		return "", fmt.Errorf("%s limits --kernels: %w", program, err)
	}
	if !strings.Contains(string(kernels), origin) {
		return "", fmt.Errorf("the build with GOEXPERIMENT=%s has no kernels from %s:\n%s", experiment, origin, kernels)
	}
	return program, nil
}

// bothBuilds compares the two builds on one query.
func (b *bench) bothBuilds(ctx context.Context, name string, st state, bytes int64, ask contender) error {
	made, err := b.builds(ctx)
	if err != nil {
		return err
	}
	ours, theirs := ask, ask
	ours.args = append([]string{made.assembly}, ask.args[1:]...)
	theirs.args = append([]string{made.archsimd}, ask.args[1:]...)
	theirs.name, theirs.target = "with the experiment", atLeast(buildsTarget)
	return b.compare(ctx, name, st, bytes, ours, theirs)
}

const (
	buildsTarget = 0.95 // of the rate of the build with the experiment
	shortBytes   = 64   // shorter calls are compared in nanoseconds
	shortTarget  = 2    // nanoseconds that a shorter call may take longer
)

// call is a call of a kernel variant on a number of bytes.
type call struct {
	Kernel string `json:"kernel"`
	ISA    string `json:"isa"`
	Bytes  int    `json:"bytes"`
}

func (c call) family() string {
	family, _, _ := strings.Cut(c.Kernel, " ")
	return family
}

// callTimes is how many nanoseconds each call takes.
type callTimes map[call]float64

// timeCalls gets the times of all vector kernel calls from a build.
func timeCalls(ctx context.Context, program string) (callTimes, error) {
	out, err := exec.CommandContext(ctx, program, "limits", "--kernels", "--lengths=all", "--json").Output()
	if err != nil {
		return nil, fmt.Errorf("%s limits --kernels --lengths=all: %w", program, err)
	}
	var all []struct {
		call
		Ns float64 `json:"ns"`
	}
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, fmt.Errorf("%s limits --kernels --lengths=all: %w", program, err)
	}
	times := callTimes{}
	for _, t := range all {
		if t.ISA != "plain" {
			times[t.call] = t.Ns
		}
	}
	return times, nil
}

// buildsKernels compares all kernels of both builds at all lengths.
func buildsKernels(ctx context.Context, b *bench, name string) error {
	made, err := b.builds(ctx)
	if err != nil {
		return err
	}
	var ours, theirs []callTimes
	for round := range b.rounds + 1 {
		fmt.Fprintf(b.log, "  round %d of %d\n", round, b.rounds)
		for _, side := range []struct {
			program string
			times   *[]callTimes
		}{{made.assembly, &ours}, {made.archsimd, &theirs}} {
			times, err := timeCalls(ctx, side.program)
			if err != nil {
				return err
			}
			if round > 0 {
				*side.times = append(*side.times, times)
			}
		}
	}
	rows, err := compareCalls(ours, theirs)
	for _, r := range rows {
		r.Case = name
		b.add(r)
	}
	return err
}

// compareCalls returns a row for each family and length from shortBytes on, and one for each
// family's shorter calls. A disturbance makes a call slower, never faster, so for each side the
// fastest time of all rounds counts.
func compareCalls(ours, theirs []callTimes) (rows []row, err error) {
	type group struct {
		family string
		bytes  int // 0 for the short calls
	}
	groups := map[group][]call{}
	our, their := fastestOf(ours), fastestOf(theirs)
	for c := range our {
		if _, ok := their[c]; !ok || len(our) != len(their) {
			return nil, fmt.Errorf("the builds have different variants of kernels, for example of %s", c.Kernel)
		}
		g := group{family: c.family()}
		if c.Bytes >= shortBytes {
			g.bytes = c.Bytes
		}
		groups[g] = append(groups[g], c)
	}
	sorted := slices.SortedFunc(maps.Keys(groups), func(a, b group) int {
		return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.bytes, b.bytes))
	})
	for _, g := range sorted {
		var r row
		if g.bytes == 0 {
			r = shortCalls(groups[g], our, their)
			r.Peer = fmt.Sprintf("%s, below %d bytes", g.family, shortBytes)
		} else {
			r = longCalls(groups[g], our, their)
			r.Peer = fmt.Sprintf("%s, %d bytes", g.family, g.bytes)
		}
		r.Number.Rounds = len(ours)
		rows = append(rows, r)
	}
	return rows, nil
}

// fastestOf returns the shortest time of each call in any round.
func fastestOf(rounds []callTimes) callTimes {
	best := maps.Clone(rounds[0])
	for _, times := range rounds[1:] {
		for c, ns := range times {
			if old, ok := best[c]; !ok || ns < old {
				best[c] = ns
			}
		}
	}
	return best
}

// longCalls returns the geometric mean of the calls' ratios, the lowest and the highest ratio.
func longCalls(calls []call, ours, theirs callTimes) row {
	n := summary{Low: math.Inf(1), High: math.Inf(-1)}
	lowest, logs := call{}, 0.0
	for _, c := range calls {
		ratio := theirs[c] / ours[c]
		logs += math.Log(ratio)
		n.High = max(n.High, ratio)
		if ratio < n.Low {
			n.Low, lowest = ratio, c
		}
	}
	n.Median = math.Exp(logs / float64(len(calls)))
	r := row{What: timesItsRate, Target: atLeast(buildsTarget), Number: n}
	if n.Low < buildsTarget {
		r.Note = fmt.Sprintf("%s %s has %.2f", lowest.Kernel, lowest.ISA, n.Low)
	}
	return r
}

// shortCalls returns by how many nanoseconds calls take longer: the mean, the least and the most, for
// the variant with the highest mean.
func shortCalls(calls []call, ours, theirs callTimes) row {
	type variant struct{ kernel, isa string }
	more := map[variant][]float64{}
	for _, c := range calls {
		v := variant{c.Kernel, c.ISA}
		more[v] = append(more[v], ours[c]-theirs[c])
	}
	r := row{What: nanosecondsMore, Target: atMost(shortTarget), Number: summary{Median: math.Inf(-1)}}
	for v, all := range more {
		mean := 0.0
		for _, ns := range all {
			mean += ns / float64(len(all))
		}
		if mean > r.Number.Median {
			r.Number = summary{Median: mean, Low: slices.Min(all), High: slices.Max(all)}
			r.Note = v.kernel + " " + v.isa + ", the slowest of the family"
		}
	}
	return r
}
