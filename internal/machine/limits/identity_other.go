//go:build !linux

package limits

import (
	"os"
	"time"
)

// deviceOf only checks that the path exists: these systems number their devices in their own ways,
// and storage is not measured on them.
func deviceOf(path string) (string, error) {
	_, err := os.Stat(path)
	return "", err
}

func cpuModel() string      { return "" }
func kernelRelease() string { return "" }
func memoryBytes() int64    { return 0 }
func lastCacheBytes() int   { return 0 }

func processorTime() time.Duration { return 0 }
