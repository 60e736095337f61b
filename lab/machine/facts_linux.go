package machine

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

// Facts returns the processor's "model", the "memory" and the "kernel", as people write them. It holds
// nothing that tells one such machine from another: the kernel goes without the suffix and the builder
// of its version.
func Facts() map[string]string {
	m := map[string]string{}
	for key, from := range map[string]struct{ file, field string }{
		"model":  {"/proc/cpuinfo", "model name"},
		"memory": {"/proc/meminfo", "MemTotal"},
		"kernel": {"/proc/version", ""},
	} {
		m[key] = field(from.file, from.field)
	}
	if kib, ok := kibibytes(m["memory"]); ok {
		m["memory"] = fmt.Sprintf("%.1f GiB", kib/(1<<20)) // the kernel's own part differs from start to start
	}
	if version := kernelVersion.FindStringSubmatch(m["kernel"]); version != nil {
		m["kernel"] = version[1] + " " + version[2]
	}
	return m
}

// kernelVersion fits the beginning of /proc/version.
var kernelVersion = regexp.MustCompile(`^(\w+) version (\d+(?:\.\d+)*)`)

// field returns what follows a name at the beginning of a line of a file.
func field(file, name string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimLeft(strings.TrimSpace(rest), "\t :")
		}
	}
	return ""
}

func kibibytes(text string) (kib float64, ok bool) {
	_, err := fmt.Sscanf(text, "%g kB", &kib)
	return kib, err == nil
}

// memory returns how many bytes the machine has, and how many of them programs could get now.
func memory() (all, available int64) {
	total, _ := kibibytes(field("/proc/meminfo", "MemTotal"))
	free, _ := kibibytes(field("/proc/meminfo", "MemAvailable"))
	return int64(total) << 10, int64(free) << 10
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
