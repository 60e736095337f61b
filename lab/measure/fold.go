package measure

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/machine"
)

// foldPerf returns the samples of perf's file by stack.
func foldPerf(ctx context.Context, file string) (map[string]int64, error) {
	cmd := exec.CommandContext(ctx, "perf", "script", "--input="+file, "--fields=comm,ip,sym,dso")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("perf script: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return parsePerf(string(text))
}

// parsePerf folds the output of perf script: for each sample a line with the command, a line for each
// function from the innermost, "address function (file)", and an empty line.
func parsePerf(text string) (map[string]int64, error) {
	folded := map[string]int64{}
	var stack []string
	end := func() {
		if len(stack) > 0 {
			slices.Reverse(stack)
			folded[strings.Join(stack, ";")]++
		}
		stack = nil
	}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.TrimSpace(line) == "":
			end()
		case line[0] == ' ' || line[0] == '\t':
			stack = append(stack, perfFunction(strings.TrimSpace(line)))
		}
	}
	end()
	return folded, lines.Err()
}

// perfFunction returns the function of "address function (file)", with a mark if it is one of the kernel's,
// which has the upper half of the addresses.
func perfFunction(line string) string {
	address, rest, _ := strings.Cut(line, " ")
	file := ""
	if i := strings.LastIndex(rest, " ("); i >= 0 {
		rest, file = rest[:i], strings.Trim(rest[i:], " ()")
	}
	if rest == "[unknown]" {
		rest = "[" + unnamed(strings.Trim(filepath.Base(file), "[]")) + "]"
	}
	rest = strings.ReplaceAll(rest, ";", ":")
	if len(address) == 16 && strings.HasPrefix(address, "ffff") {
		rest += lab.KernelMark
	}
	return rest
}

// unnamed says what of a file a function without a name belongs to. Code that a program compiled while it
// ran has a file of that process, which would differ in each run.
func unnamed(file string) string {
	if strings.HasPrefix(file, "perf-") && strings.HasSuffix(file, ".map") {
		return "compiled while running"
	}
	return file
}

// foldPprof returns the samples of a CPU profile of the Go runtime by stack.
func foldPprof(file string) (map[string]int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	p, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", file, err)
	}
	folded := map[string]int64{}
	for _, s := range p.Sample {
		var stack []string
		for _, l := range s.Location {
			for _, line := range l.Line { // the innermost first, what was inlined before its caller
				stack = append(stack, strings.ReplaceAll(line.Function.Name, ";", ":"))
			}
		}
		slices.Reverse(stack)
		folded[strings.Join(stack, ";")] += s.Value[0]
	}
	return folded, nil
}

// results returns all measurements of the session: of the jobs of this run, in their order, then of others
// that were measured before.
func (s *session) results(experiments []*lab.Experiment, plans []*plan) (r lab.Results) {
	var had []job
	for _, p := range plans {
		for _, w := range p.work {
			had = append(had, w.job)
			if m, ok := w.measurement(); ok {
				r.Measurements = append(r.Measurements, m)
			}
		}
	}
	for i := range s.journal.entries {
		e := &s.journal.entries[i]
		if slices.ContainsFunc(had, e.of) {
			continue
		}
		of, v := find(experiments, e.Variant)
		if v == nil {
			v = &lab.Variant{ID: e.Variant}
		}
		w := &work{job: job{experiment: of, variant: v, setting: e.Setting, bytes: e.Bytes}}
		had = append(had, w.job)
		for _, e := range s.journal.entries {
			if e.of(w.job) {
				w.add(e)
			}
		}
		w.runs = len(w.entries)
		if m, ok := w.measurement(); ok {
			r.Measurements = append(r.Measurements, m)
		}
	}
	return r
}

// measurement returns what is known of a job; ok is false if it has not run yet.
func (w *work) measurement() (m lab.Measurement, ok bool) {
	m = lab.Measurement{Variant: w.variant.ID, Setting: w.setting, Bytes: w.bytes, Skipped: w.skipped}
	if m.Skipped != "" {
		return m, true
	}
	if len(w.entries) == 0 {
		m.Skipped = w.left
		return m, w.left != ""
	}
	var share machine.Share
	seconds := 0.0
	for _, e := range w.entries {
		share.Others, share.Host = share.Others+e.Others*e.Seconds, share.Host+e.Host*e.Seconds
		seconds += e.Seconds
		if e.Compared != nil {
			m.Compared = e.Compared
			continue
		}
		m.Outcomes = append(m.Outcomes, *e.Outcome)
		m.Want, m.FaultsPerGiB = e.Want, e.Faults
		if e.Profile != nil {
			m.Profile = merge(m.Profile, e.Profile)
		}
	}
	if seconds > 0 {
		share = machine.Share{Others: share.Others / seconds, Host: share.Host / seconds}.Clamped()
		m.OthersShare, m.HostShare = share.Others, share.Host
	}
	m.Wrong, _ = wrong(w.entries)
	if !m.Setting.Profiled && m.Compared == nil && m.Wrong == "" {
		m.Fewer = w.fewer()
	}
	return m, true
}

// fewer says why a job had fewer runs than it should, "" if it had as many.
func (w *work) fewer() string {
	asked := w.asked
	if asked == 0 && w.experiment != nil { // of an earlier session
		asked = w.experiment.Method.Runs
	}
	if len(w.entries) >= asked {
		return ""
	}
	why := w.left
	if why == "" {
		why = fmt.Sprintf("one takes %.1f s", w.entries[0].Seconds)
	}
	return fmt.Sprintf("%d of %d runs: %s", len(w.entries), asked, why)
}
