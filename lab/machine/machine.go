package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
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

// AvailableBytes returns how much memory programs could get now, 0 if that is unknown.
func AvailableBytes() int64 {
	_, available := memory()
	return available
}

// Limits returns the machine's limits with the storage of a folder, measured if they are not kept.
func Limits(ctx context.Context, folder string) (map[string]float64, error) {
	l, err := thresh.MeasureLimits(ctx, folder, false, nil)
	if l == nil {
		return nil, err
	}
	text, jsonErr := l.MarshalJSON()
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
