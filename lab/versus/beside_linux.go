package versus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// limits are what a control group allows the programs of a situation.
type limits struct {
	cpus   float64 // processors' worth of time; 0: no quota
	memory float64 // part of the input's bytes, for own memory and page cache; 0: no limit
	bytes  int64   // the same in bytes, set when the input is laid
}

// group is a control group for the samples of a situation, or what stands in for one.
type group struct {
	folders []string // one for each controller in version 1
	pin     bool     // no group could be made: one processor instead of a quota of one
}

const (
	groupsV1 = "/sys/fs/cgroup"
	// shMove moves the shell into its first arguments' groups, as many as the first one says, and
	// becomes the program that follows.
	shMove = `n=$1; shift
while [ $n -gt 0 ]; do echo 0 >"$1/cgroup.procs" || exit 125; shift; n=$((n-1)); done; exec "$@"`
)

// newGroup makes the control group that the limits need, and says what it is. Without the right to
// make one, a quota becomes a pinned processor; a memory limit is then an error.
func newGroup(l limits) (g *group, what string, err error) {
	g = &group{}
	if l.cpus == 0 && l.memory == 0 {
		return g, "", nil
	}
	settings := map[string]map[string]string{}
	if l.cpus > 0 {
		quota := strconv.Itoa(int(l.cpus * 100_000))
		settings["cpu"] = map[string]string{"cpu.cfs_quota_us": quota, "cpu.max": quota + " 100000"}
	}
	if l.memory > 0 {
		most := strconv.FormatInt(l.bytes, 10)
		settings["memory"] = map[string]string{"memory.limit_in_bytes": most, "memory.max": most}
	}
	for controller, files := range settings {
		if err = g.add(controller, files); err != nil {
			break
		}
	}
	if err != nil && l.memory == 0 {
		err = errors.Join(g.remove())
		return &group{pin: true}, "pinned to one processor, since no control group could be made", err
	}
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("no control group: %w", err), g.remove())
	}
	if l.cpus > 0 {
		what = fmt.Sprintf("control group, quota of %g processors", l.cpus)
	} else {
		what = fmt.Sprintf("control group, %.0f MiB with its page cache", float64(l.bytes)/(1<<20))
	}
	return g, what, nil
}

// add makes a group with a controller: version 1 has a hierarchy for each, version 2 one for all.
// The settings are tried by their names in both versions.
func (g *group) add(controller string, settings map[string]string) error {
	name := "thresh-bench-" + strconv.Itoa(os.Getpid())
	folder := filepath.Join(groupsV1, name)
	if _, err := os.Stat(filepath.Join(groupsV1, "cgroup.controllers")); err != nil {
		folder = filepath.Join(groupsV1, controller, name)
	}
	if err := os.Mkdir(folder, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	g.folders = append(g.folders, folder)
	for file, value := range settings {
		file = filepath.Join(folder, file)
		if _, err := os.Stat(file); err == nil {
			return os.WriteFile(file, []byte(value), 0o644)
		}
	}
	return fmt.Errorf("%s has no limits: the controller %s is not delegated", folder, controller)
}

// wrap returns a command that runs args in the group.
func (g *group) wrap(args []string) []string {
	switch {
	case g.pin:
		return append([]string{"taskset", "-c", "0"}, args...)
	case len(g.folders) == 0:
		return args
	}
	move := append([]string{"sh", "-c", shMove, "sh", strconv.Itoa(len(g.folders))}, g.folders...)
	return append(move, args...)
}

// remove removes the group, which must be empty of processes.
func (g *group) remove() error {
	var errs []error
	for _, folder := range g.folders {
		errs = append(errs, os.Remove(folder))
	}
	return errors.Join(errs...)
}

// startBeside starts a child of this program that keeps the machine busy, and returns what stops it.
func (b *matrix) startBeside(ctx context.Context, args []string) (stop func() error, err error) {
	if len(args) == 0 {
		return func() error { return nil }, nil
	}
	cmd := exec.CommandContext(ctx, b.Self, append([]string{childCommand}, args...)...)
	cmd.Stderr = b.Log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("neighbour %s: %w", strings.Join(args, " "), err)
	}
	if _, err := stdout.Read(make([]byte, 1)); err != nil { // it is ready
		return nil, errors.Join(fmt.Errorf("neighbour %s: %w", strings.Join(args, " "), err), cmd.Cancel())
	}
	return func() error { return errors.Join(stdin.Close(), cmd.Wait()) }, nil
}

// childSpin keeps one processor busy until standard input ends.
func childSpin(stdin io.Reader, stdout io.Writer) error {
	return until(stdin, stdout, func(n uint64) uint64 {
		for range 1 << 16 {
			n = n*6364136223846793005 + 1442695040888963407
		}
		return n
	})
}

// childWalk reads that many bytes of its own memory again and again until standard input ends.
func childWalk(stdin io.Reader, stdout io.Writer, bytes int64) error {
	m, err := unix.Mmap(-1, 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("mmap of %d bytes: %w", bytes, err)
	}
	for i := 0; i < len(m); i += os.Getpagesize() {
		m[i] = 1
	}
	return until(stdin, stdout, func(n uint64) uint64 {
		for i := 0; i < len(m); i += 64 {
			n += uint64(m[i])
		}
		return n
	})
}

// until says that it is ready, and works until standard input ends.
func until(stdin io.Reader, stdout io.Writer, work func(uint64) uint64) error {
	ended := make(chan struct{})
	go func() {
		io.Copy(io.Discard, stdin) // whatever ends it
		close(ended)
	}()
	if _, err := fmt.Fprintln(stdout, "ready"); err != nil {
		return err
	}
	for n := uint64(1); ; n = work(n) {
		select {
		case <-ended:
			if n == 0 {
				return nil // keeps the compiler from dropping the work
			}
			return nil
		default:
		}
	}
}
