package limits

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// deviceOf returns the number of the device that stores path, or of path itself if it is a block
// device.
func deviceOf(path string) (string, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return "", err
	}
	dev := uint64(st.Dev)
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		dev = uint64(st.Rdev)
	}
	return fmt.Sprintf("%d:%d", unix.Major(dev), unix.Minor(dev)), nil
}

// cpuModel returns the processor's name, empty if the kernel does not report it (arm64).
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	model, _ := proc.Field(text, "model name")
	return model
}

func kernelRelease() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Release[:])
}

// memoryBytes returns the size of the main memory, 0 when unknown.
func memoryBytes() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}

// lastCacheBytes returns the size of the last-level cache, 0 when unknown.
func lastCacheBytes() int {
	for index := 4; index >= 2; index-- {
		name := fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/size", index)
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(string(text)), "K"))
		if err == nil {
			return kib << 10
		}
	}
	return 0
}

// systemBusyTime returns how long all processors have worked since the system was started, for this system or, where it
// is a virtual machine, for others.
func systemBusyTime() (busy time.Duration, known bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	busy, stolen, err := proc.ParseBusy(text)
	return busy + stolen, err == nil
}

// processorTime returns the processor time of all threads of this process, 0 if unknown.
func processorTime() time.Duration {
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
