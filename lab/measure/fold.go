package measure

import (
	"bufio"
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"
)

// perfRecord returns the command line before a command that perf shall profile, nil if it may not see the
// kernel here, is not installed, or cannot name the program's functions. Go programs keep frame pointers, so
// stacks need no more than them.
func perfRecord(ctx context.Context, file, program string) []string {
	if !kernelVisible() || !hasSymbols(program) {
		return nil
	}
	args := []string{"perf", "record", "--quiet", "--freq=999", "--call-graph=fp", "--output=" + file, "--"}
	// Some machines have perf and no samples. This takes long enough for some.
	try := append(slices.Clone(args), "sh", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done")
	defer os.Remove(file) // the trial's, or none
	if err := exec.CommandContext(ctx, try[0], try[1:]...).Run(); err != nil {
		return nil
	}
	text, err := exec.CommandContext(ctx, "perf", "script", "--input="+file, "--fields=ip,sym").Output()
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	return args
}

// kernelVisible reports whether this user may profile the kernel.
func kernelVisible() bool {
	text, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	if err != nil {
		return false
	}
	level, err := strconv.Atoi(strings.TrimSpace(string(text)))
	return err == nil && (level <= 1 || os.Geteuid() == 0)
}

// hasSymbols reports whether an ELF file has a table of symbols: "go test" and releases often leave it out.
func hasSymbols(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // nothing was written
	_, err = f.Symbols()
	return err == nil
}

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
	if len(folded) == 0 {
		return nil, errors.New("perf took no sample")
	}
	return folded, lines.Err()
}

// perfFunction returns the function of "address function (file)".
func perfFunction(line string) string {
	_, rest, _ := strings.Cut(line, " ")
	file := ""
	if i := strings.LastIndex(rest, " ("); i >= 0 {
		rest, file = rest[:i], strings.Trim(rest[i:], " ()")
	}
	if rest == "[unknown]" {
		rest = "[" + strings.Trim(filepath.Base(file), "[]") + "]"
	}
	return strings.ReplaceAll(rest, ";", ":")
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
