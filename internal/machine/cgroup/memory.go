package cgroup

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// FindMemory returns the group that limits the memory of this process.
func FindMemory() (Group, error) { return find("/proc/self", "memory") }

// AvailableBytes returns how much more memory the group may use before the kernel swaps its pages
// out or kills a process: the limit minus the usage, plus the page cache in it, which the kernel
// reclaims first. The smallest value of the group and its parents counts. Without a limit it
// returns math.MaxInt64. The group must come from FindMemory.
func (g Group) AvailableBytes() (int64, error) {
	least := int64(math.MaxInt64)
	for dir := g.Dir; ; dir = filepath.Dir(dir) {
		free, err := g.availableIn(dir)
		if err != nil {
			return 0, fmt.Errorf("memory of control group %s: %w", dir, err)
		}
		least = min(least, free)
		if dir == g.root || dir == filepath.Dir(dir) {
			return least, nil
		}
	}
}

// unlimitedMin is what a limit of version 1 is at least if none is set: the largest number of whole
// pages that an int64 can hold, whatever the size of a page.
const unlimitedMin = math.MaxInt64 - 1<<20

// availableIn returns what one group has left.
func (g Group) availableIn(dir string) (int64, error) {
	names := map[int][3]string{
		1: {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_"},
		2: {"memory.max", "memory.current", ""},
	}[g.Version]
	limit, ok, err := readBytes(filepath.Join(dir, names[0]))
	if err != nil || !ok || limit >= unlimitedMin {
		return math.MaxInt64, err
	}
	used, _, err := readBytes(filepath.Join(dir, names[1]))
	if err != nil {
		return 0, err
	}
	cached, err := sumOf(filepath.Join(dir, "memory.stat"), names[2]+"inactive_file", names[2]+"active_file")
	return max(limit-used+cached, 0), err
}

// readBytes reads a number of bytes. It is not ok if there is no file, as in the root group, or if the
// file says "max".
func readBytes(path string) (n int64, ok bool, err error) {
	text, err := readWord(path)
	if err != nil || text == "" || text == "max" {
		return 0, false, err
	}
	n, err = strconv.ParseInt(text, 10, 64)
	return n, err == nil, err
}

// sumOf returns the sum of some values of a file with lines "KEY VALUE".
func sumOf(path string, keys ...string) (sum int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, text, _ := strings.Cut(lines.Text(), " ")
		for _, k := range keys {
			if k != key {
				continue
			}
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("read %s: %w", path, err)
			}
			sum += n
		}
	}
	return sum, lines.Err()
}
