package source

import "golang.org/x/sys/unix"

// MemoryBytes returns the size of the machine's memory, 0 if unknown.
func MemoryBytes() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}
