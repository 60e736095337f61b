package memory

import (
	"os"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// OwnBytes returns the memory of this process that is its own, without pages of mapped files; 0 if it is unknown.
func OwnBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	pages := proc.AppendNumbers(nil, text) // the address space, what of it is in memory, and what of that is of files
	if err != nil || len(pages) < 3 {
		return 0
	}
	return int64(max(0, pages[1]-pages[2])) * int64(os.Getpagesize())
}
