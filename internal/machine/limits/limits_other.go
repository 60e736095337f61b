//go:build !linux

package limits

import (
	"context"
	"os"
	"time"
)

const linuxOnly = "measured on Linux only"

func alloc(n int) (b []byte, free func(), err error) { return make([]byte, n), func() {}, nil }

func (r *run) storage(*temporary) error {
	r.absent(linuxOnly, &r.c.DirectRead, &r.c.ColdRead)
	return nil
}

// readBack has nothing to do: the file was just written, so it is in the page cache.
func (t *temporary) readBack(context.Context) error { return nil }

func (r *run) mappings(*temporary) error {
	r.absent(linuxOnly, &r.c.MappedOne, &r.c.MappedAll, &r.c.Populate, &r.c.FaultSmall,
		&r.c.FaultHuge)
	return nil
}

func (r *run) syscalls() error {
	r.absent(linuxOnly, &r.c.Syscall)
	return nil
}

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

func systemBusyTime() (time.Duration, bool) { return 0, false }
