package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// machine says on what kind of machine figures are taken, with the file system of the data. It
// holds nothing that tells one such machine from another: the kernel goes without the suffix and
// the builder of its version.
func machine(data string) map[string]string {
	m := map[string]string{
		"processors": fmt.Sprint(runtime.NumCPU()), "go": runtime.Version(), "arch": runtime.GOARCH,
		"file system": fileSystem(data),
	}
	for key, from := range map[string]struct{ file, field string }{
		"model":  {"/proc/cpuinfo", "model name"},
		"memory": {"/proc/meminfo", "MemTotal"},
		"kernel": {"/proc/version", ""},
	} {
		text, err := os.ReadFile(from.file)
		if err != nil {
			m[key] = err.Error()
			continue
		}
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, from.field); ok {
				m[key] = strings.TrimLeft(strings.TrimSpace(rest), "\t :")
				break
			}
		}
	}
	var kib float64
	if _, err := fmt.Sscanf(m["memory"], "%g kB", &kib); err == nil {
		m["memory"] = fmt.Sprintf("%.1f GiB", kib/(1<<20)) // the kernel's own part differs from start to start
	}
	if version := kernelVersion.FindStringSubmatch(m["kernel"]); version != nil {
		m["kernel"] = version[1] + " " + version[2]
	}
	return m
}

// kernelVersion fits the beginning of /proc/version.
var kernelVersion = regexp.MustCompile(`^(\w+) version (\d+(?:\.\d+)*)`)

// fileSystem returns the name of the file system that holds path, by its magic number where it is
// not a common one.
func fileSystem(path string) string {
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

// recordNames fits what --record-as may be.
var recordNames = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// keep adds the report to the day's record of this kind of machine, without the paths of this one.
func (b *bench) keep(stdout io.Writer) error {
	name := recordName(b.recordAs, b.report.Machine)
	path, err := b.report.record(recordFolder, name, hides(b.data.folder, b.self))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "recorded in %s; go run ./bench plot %s draws it\n", path, path)
	return err
}

// recordName returns the name of a record: the one asked for, or one made from the processor's.
func recordName(asked string, machine map[string]string) string {
	if asked != "" {
		return asked
	}
	return shortName(machine["model"], runtime.GOARCH, machine["processors"])
}

// hides returns the paths of this machine, with what a record says instead.
func hides(data, self string) map[string]string {
	hide := map[string]string{data: "DATA", self: "bench", os.TempDir() + "/": "TEMP/"}
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		hide[home] = "~"
	}
	if here, err := os.Getwd(); err == nil && here != "/" {
		hide[here] = "."
	}
	return hide
}
