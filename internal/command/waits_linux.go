package command

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
	"github.com/thresh-dev/thresh/receipt"
)

// waits tells what a run waits for while nothing moves.
type waits struct {
	name  string // of the input
	total int64  // bytes; 0 for a pipe
	at    time.Time
	used  time.Duration // processor time until then
}

// workShare is the share of a processor from which on a run works.
const workShare = 0.3

// what returns what the run waits for, by what its threads are doing; "" if it has worked since the last call.
func (w *waits) what() string {
	var use unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &use) != nil {
		return ""
	}
	now, used := time.Now(), time.Duration(use.Utime.Nano()+use.Stime.Nano())
	worked := float64(used-w.used) / float64(now.Sub(w.at))
	if w.at, w.used = now, used; worked >= workShare {
		return ""
	}
	source := receipt.Storage
	switch {
	case strings.Contains(w.name, "://"):
		source = receipt.Network
	case w.total == 0:
		source = receipt.Input
	}
	threads, _ := filepath.Glob("/proc/self/task/*") // none without /proc
	for _, thread := range threads {
		text, err := os.ReadFile(thread + "/stat")
		stat, parseErr := proc.ParseStat(text)
		if err != nil || parseErr != nil {
			continue // it has just ended
		}
		text, _ = os.ReadFile(thread + "/syscall") // needs the right to trace
		call, _ := proc.ParseCall(text)
		switch {
		case call.Number == unix.SYS_WRITE || call.Number == unix.SYS_WRITEV:
			return string(receipt.Output)
		case stat.State == 'D', call.Number == unix.SYS_PREAD64, call.Number == unix.SYS_IO_URING_ENTER:
			return string(source)
		}
	}
	if source == receipt.Storage {
		return "" // it is something else
	}
	return string(source)
}
