// Package cgroup finds the control groups that limit this process's processor time and memory, and
// reads their limits, how long the process was throttled, and how much memory is left. It supports both
// versions of the interface: version 1 with a hierarchy for each controller, and the unified version 2.
package cgroup

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrNone is returned by Find and FindMemory if no control group with the controller contains the
// process: on systems other than Linux, or in a kernel or container without control groups.
var ErrNone = errors.New("no control group limits the process")

// Group is the control group of a controller that limits the process.
type Group struct {
	Version int    // 1 or 2
	Dir     string // the group's folder
	root    string // the hierarchy's folder; the limits of all groups up to it apply
}

// Throttle is how often and for how long the group was stopped because of its quota. The time is
// the sum over the processors on which it was stopped.
type Throttle struct {
	Periods int64
	Time    time.Duration
}

// Find returns the group that limits the processor time of this process.
func Find() (Group, error) { return find("/proc/self", "cpu") }

// Of returns the group that limits the processor time of a process.
func Of(pid int) (Group, error) { return find(fmt.Sprintf("/proc/%d", pid), "cpu") }

// find reads cgroup and mountinfo in the proc folder of a process. In a container, a process's
// group may be the root of its own mount: the folder is then the mount point itself. A group has the
// controller if it has the controller's statistics.
func find(proc, controller string) (Group, error) {
	groups, err := os.ReadFile(filepath.Join(proc, "cgroup"))
	if err != nil {
		return Group{}, fmt.Errorf("%w: %w", ErrNone, err)
	}
	mounts, err := os.ReadFile(filepath.Join(proc, "mountinfo"))
	if err != nil {
		return Group{}, fmt.Errorf("%w: %w", ErrNone, err)
	}
	for _, version := range []int{1, 2} {
		path, ok := memberOf(string(groups), version, controller)
		if !ok {
			continue
		}
		for _, m := range mountsOf(string(mounts), version, controller) {
			dir := filepath.Join(m.point, under(m.root, path))
			if _, err := os.Stat(filepath.Join(dir, controller+".stat")); err == nil {
				return Group{Version: version, Dir: dir, root: m.point}, nil
			}
		}
	}
	return Group{}, ErrNone
}

// memberOf returns the path of the process's group within the hierarchy of a controller. Lines read
// "1:cpu,cpuacct:/a/b" for version 1, "0::/a/b" for version 2.
func memberOf(groups string, version int, controller string) (path string, ok bool) {
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if version == 2 && parts[0] == "0" && parts[1] == "" ||
			version == 1 && hasWord(parts[1], controller) {
			return parts[2], true
		}
	}
	return "", false
}

type mount struct{ root, point string }

// mountsOf returns where hierarchies of a controller are mounted, in the order of the table.
// A line reads "ID PARENT MAJ:MIN ROOT POINT OPTIONS [FIELDS...] - TYPE SOURCE SUPEROPTIONS".
func mountsOf(mountinfo string, version int, controller string) (mounts []mount) {
	for line := range strings.Lines(mountinfo) {
		head, tail, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		fields, types := strings.Fields(head), strings.Fields(tail)
		if !ok || len(fields) < 6 || len(types) < 3 {
			continue
		}
		if version == 2 && types[0] == "cgroup2" ||
			version == 1 && types[0] == "cgroup" && hasWord(types[2], controller) {
			mounts = append(mounts, mount{root: fields[3], point: fields[4]})
		}
	}
	return mounts
}

// under returns path relative to the root that a mount shows, or "" if path lies outside: then the
// mount shows the group itself.
func under(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return ""
	}
	return rel
}

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// QuotaCPUs returns how many processors' worth of time the group may use: the smallest quota of it
// and its parents, 0 if none is set.
func (g Group) QuotaCPUs() (float64, error) {
	smallest := 0.0
	for dir := g.Dir; ; dir = filepath.Dir(dir) {
		cpus, err := g.quotaOf(dir)
		if err != nil {
			return 0, fmt.Errorf("quota of control group %s: %w", dir, err)
		}
		if cpus > 0 && (smallest == 0 || cpus < smallest) {
			smallest = cpus
		}
		if dir == g.root || dir == filepath.Dir(dir) {
			return smallest, nil
		}
	}
}

// quotaOf reads "QUOTA PERIOD" or "max PERIOD" (version 2), or the two files of version 1, where -1
// means none. The root group has no such files.
func (g Group) quotaOf(dir string) (float64, error) {
	var quota, period string
	if g.Version == 2 {
		text, err := readWord(filepath.Join(dir, "cpu.max"))
		if err != nil || text == "" {
			return 0, err
		}
		quota, period, _ = strings.Cut(text, " ")
	} else {
		var err error
		if quota, err = readWord(filepath.Join(dir, "cpu.cfs_quota_us")); err != nil {
			return 0, err
		}
		if period, err = readWord(filepath.Join(dir, "cpu.cfs_period_us")); err != nil {
			return 0, err
		}
	}
	if quota == "max" || quota == "-1" || quota == "" {
		return 0, nil
	}
	q, err := strconv.ParseFloat(quota, 64)
	if err != nil {
		return 0, err
	}
	p, err := strconv.ParseFloat(period, 64)
	if err != nil {
		return 0, err
	}
	if p <= 0 {
		return 0, fmt.Errorf("a period of %s microseconds", period)
	}
	return q / p, nil
}

// readWord returns the text of a file without the line feed, "" if there is no file.
func readWord(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// Throttled returns the totals since the group was created.
func (g Group) Throttled() (Throttle, error) {
	f, err := os.Open(filepath.Join(g.Dir, "cpu.stat"))
	if err != nil {
		return Throttle{}, err
	}
	defer f.Close()
	var t Throttle
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, text, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return Throttle{}, fmt.Errorf("read %s: %w", f.Name(), err)
		}
		switch key {
		case "nr_throttled":
			t.Periods = n
		case "throttled_time": // version 1
			t.Time = time.Duration(n)
		case "throttled_usec": // version 2
			t.Time = time.Duration(n) * time.Microsecond
		}
	}
	return t, lines.Err()
}
