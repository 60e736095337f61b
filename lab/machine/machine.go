package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/lab"
)

// Describe returns what is known of this machine without measuring, with the file system of a folder.
func Describe(folder string) lab.Machine {
	facts := Facts()
	m := lab.Machine{
		Processor: facts["model"], Processors: runtime.NumCPU(), Kernel: facts["kernel"],
		FileSystem: FileSystem(folder), GoVersion: runtime.Version(), Date: time.Now().UTC().Format(time.RFC3339),
	}
	if m.Processor == "" {
		m.Processor = runtime.GOARCH
	}
	m.MemoryBytes, _ = memory()
	for _, isa := range cpu.Available() {
		m.Features = append(m.Features, isa.String())
	}
	return m
}

// freeBytesMost is what stays free on a disk at most: a tenth of a large one is more than others need.
const freeBytesMost = 8 << 30

// Room returns an error if with so many bytes more a tenth of the disk, or freeBytesMost, would not stay free.
func Room(folder string, bytes int64) error {
	free, all, err := Space(folder)
	if err != nil {
		return fmt.Errorf("free space in %s: %w", folder, err)
	}
	if free-bytes < min(all/10, freeBytesMost) {
		return fmt.Errorf("%s has %s free, too little for %s more; try a smaller --size",
			folder, humanize.IBytes(uint64(free)), humanize.IBytes(uint64(bytes)))
	}
	return nil
}

// Share is the share of the processors that others used for a time: 1 is all of them.
type Share struct {
	Others float64 // other programs, the kernel by itself, and the host
	Host   float64 // the host of a virtual machine
}

// Clamped returns the share within 0 and 1.
func (s Share) Clamped() Share { return Share{min(1, max(0, s.Others)), min(1, max(0, s.Host))} }

// AvailableBytes returns how much memory programs could get now, 0 if that is unknown.
func AvailableBytes() int64 {
	_, available := memory()
	return available
}

// Limits returns the machine's limits with the storage of a folder, measured if they are not kept.
func Limits(ctx context.Context, folder string) (map[string]float64, error) {
	l, err := limits.Current(ctx, folder, false, nil)
	if l == nil {
		return nil, err
	}
	text, jsonErr := json.Marshal(l)
	if jsonErr != nil {
		return nil, jsonErr
	}
	return parseLimits(text)
}

// parseLimits returns the figures of "thresh limits --json" that are rates in bytes or times.
func parseLimits(text []byte) (map[string]float64, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("limits of the machine: %w", err)
	}
	figures := map[string]float64{}
	for name, value := range all {
		var figure struct {
			Median float64 `json:"median"`
			Unit   string  `json:"unit"`
		}
		if json.Unmarshal(value, &figure) != nil {
			continue // a number, a list or a text
		}
		switch figure.Unit {
		case "GB/s":
			figures[name] = figure.Median * 1e9
		case "ns":
			figures[name+"_ns"] = figure.Median
		}
	}
	return figures, nil
}
