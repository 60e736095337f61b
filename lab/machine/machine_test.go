package machine

import (
	"maps"
	"runtime"
	"testing"
)

func TestParseLimits(t *testing.T) {
	got, err := parseLimits([]byte(`{"format": 2, "taken": "2026-01-01T00:00:00Z", "opens": [{"workers": 1}],
		"identity": {"host": "x"}, "memory_all": {"median": 27.5, "unit": "GB/s"}, "syscall": {"median": 354, "unit": "ns"},
		"fault_small_bytes": 238821.5, "rate": {"median": 5, "unit": "files/s"}}`))
	want := map[string]float64{"memory_all": 27.5e9, "syscall_ns": 354}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("limits %v, error %v; want %v", got, err, want)
	}
	if _, err := parseLimits([]byte("[]")); err == nil {
		t.Error("no error for a list")
	}
}

func TestDescribe(t *testing.T) {
	m := Describe(t.TempDir())
	if m.Processor == "" || m.Processors != runtime.NumCPU() || m.Kernel == "" || m.GoVersion == "" || m.Date == "" {
		t.Errorf("machine %+v", m)
	}
	if runtime.GOOS == "linux" && (m.MemoryBytes < 1<<26 || m.FileSystem == "" || AvailableBytes() <= 0) {
		t.Errorf("machine %+v, %d bytes available", m, AvailableBytes())
	}
}
