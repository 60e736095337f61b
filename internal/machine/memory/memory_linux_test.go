package memory

import (
	"os"
	"testing"
)

func TestAvailable(t *testing.T) {
	tests := []struct {
		text string
		want int64 // -1 for an error
	}{
		{"MemTotal:       24 kB\nMemFree: 1 kB\nMemAvailable:   17 kB\nCached: 3 kB\n", 17 << 10},
		{"MemAvailable: 0 kB", 0},
		{"MemTotal: 24 kB\n", -1},
		{"MemAvailable: x kB\n", -1},
		{"", -1},
	}
	for _, test := range tests {
		got, err := available([]byte(test.text))
		if err != nil && test.want >= 0 || err == nil && got != test.want {
			t.Errorf("%q: %d, %v instead of %d", test.text, got, err, test.want)
		}
	}
}

func TestAvailableBytes(t *testing.T) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Skip(err)
	}
	system, err := available(text)
	if err != nil {
		t.Skip(err) // a kernel before 3.14
	}
	got, err := AvailableBytes()
	// Other programs take and free memory in between.
	if err != nil || got <= 0 || got > system+system/2+1<<30 {
		t.Errorf("%d, %v; the system has %d", got, err, system)
	}
}
