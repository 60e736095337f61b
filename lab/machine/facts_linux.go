// Package machine describes the machine that figures are taken on, and says how busy others keep it.
package machine

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// Facts returns the processor's "model", the "memory" and the "kernel", as people write them. It holds
// nothing that tells one such machine from another: the kernel goes without the suffix and the builder
// of its version.
func Facts() map[string]string {
	m := map[string]string{"model": "", "memory": "", "kernel": text("/proc/version")}
	m["model"], _ = proc.Field([]byte(text("/proc/cpuinfo")), "model name")
	if all, _ := memory(); all > 0 {
		m["memory"] = fmt.Sprintf("%.1f GiB", float64(all)/(1<<30)) // the kernel's own part differs from start to start
	}
	if version := kernelVersion.FindStringSubmatch(m["kernel"]); version != nil {
		m["kernel"] = version[1] + " " + version[2]
	}
	return m
}

// kernelVersion fits the beginning of /proc/version.
var kernelVersion = regexp.MustCompile(`^(\w+) version (\d+(?:\.\d+)*)`)

// text returns a file of /proc, or why it cannot be read.
func text(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

// memory returns how many bytes the machine has, and how many of them programs could get now; 0 is unknown.
func memory() (all, available int64) {
	meminfo := []byte(text("/proc/meminfo"))
	all, _, _ = proc.FieldBytes(meminfo, "MemTotal")
	available, _, _ = proc.FieldBytes(meminfo, "MemAvailable")
	return all, available
}

// FileSystem returns the name of the file system that holds path, by its magic number where it is
// not a common one.
func FileSystem(path string) string {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return err.Error()
	}
	switch fs.Type {
	case unix.EXT4_SUPER_MAGIC:
		return "ext4"
	case unix.XFS_SUPER_MAGIC:
		return "xfs"
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs"
	case unix.TMPFS_MAGIC:
		return "tmpfs"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlay"
	case unix.NFS_SUPER_MAGIC:
		return "nfs"
	}
	return fmt.Sprintf("%#x", fs.Type)
}

// InMemory reports whether the files of a file system of that name are only in memory.
func InMemory(fileSystem string) bool {
	const ramfs = 0x858458f6
	return fileSystem == "tmpfs" || fileSystem == fmt.Sprintf("%#x", ramfs)
}

// Load is the processor time used up to a moment.
type Load struct {
	at   time.Time
	busy time.Duration // of all processors, including the time that the host took
	host time.Duration // that the host of this virtual machine took
	own  time.Duration // of this program and of its children that have ended
}

// TakeLoad returns the load up to now.
func TakeLoad() (Load, error) {
	l := Load{at: time.Now()}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return l, err
	}
	if l.busy, l.host, err = proc.ParseBusy(stat); err != nil {
		return l, fmt.Errorf("read /proc/stat: %w", err)
	}
	l.busy += l.host
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var usage unix.Rusage
		if err := unix.Getrusage(who, &usage); err != nil {
			return l, fmt.Errorf("getrusage: %w", err)
		}
		l.own += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return l, nil
}

// Others returns the shares of the machine's processors that others have used between two loads. Kernel work
// that belongs to no process counts as use by others. The system counts hundredths of a second: over a short
// time a share may be below 0 or above 1, and only the mean of several says something.
func (l Load) Others(until Load, processors int) Share {
	all := until.at.Sub(l.at) * time.Duration(processors)
	if all <= 0 {
		return Share{}
	}
	foreign := (until.busy - l.busy) - (until.own - l.own)
	return Share{float64(foreign) / float64(all), float64(until.host-l.host) / float64(all)}
}
