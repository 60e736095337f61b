package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// results are the figures of all shapes that were measured.
type results struct {
	Machine string
	Shapes  map[string]result
}

// result has the figures of a shape.
type result struct{ Flagged, Fixed figures }

// figures are what a variant used.
type figures struct {
	SecondsPerGiB float64 // of the server's processor time, the median
	CallsPerGiB   int64   // that read, write, sendfile, splice or copy_file_range
	Kept          bool    // the bytes stayed in the kernel
	CountedShare  float64 // the share of the bytes that the shape's own counter saw
}

func readResults(path string) (*results, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := &results{}
	if err := json.Unmarshal(text, all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if all.Shapes == nil {
		all.Shapes = map[string]result{}
	}
	return all, nil
}

func (r *results) write(path string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// machine names the processor, the system and the version of Go.
func machine() string {
	name := runtime.GOARCH
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range bytes.Lines(text) {
			if key, value, ok := strings.Cut(string(line), ":"); ok && strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
			}
		}
	}
	kernel := "unknown"
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		kernel, _, _ = strings.Cut(strings.TrimSpace(string(text)), "-")
	}
	return fmt.Sprintf("%s, %d processors, Linux %s, %s", name, runtime.NumCPU(), kernel, runtime.Version())
}
