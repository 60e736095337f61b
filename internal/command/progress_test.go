package command

import (
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
)

func TestProgressLine(t *testing.T) {
	const gib = 1 << 30
	for _, test := range []struct {
		done, total int64
		took        time.Duration
		ended       bool
		columns     int
		want        string
	}{
		{gib, 4 * gib, time.Second, false, 0, "f [======>                  ]  25 % 1.0 GiB of 4.0 GiB 1.1 GB/s 3s left"},
		{gib, 4 * gib, time.Second, false, 60, "f [===>         ]  25 % 1.0 GiB of 4.0 GiB 1.1 GB/s 3s left"},
		{gib, 4 * gib, time.Second, false, 50, "f  25 % 1.0 GiB of 4.0 GiB 1.1 GB/s 3s left"},
		{gib, 4 * gib, time.Second, false, 20, "f  25 % 1.0 GiB of…"},
		{4 * gib, 4 * gib, 4 * time.Second, false, 0, "f [========================>]  99 % 4.0 GiB of 4.0 GiB 1.1 GB/s 0s left"},
		{4 * gib, 4 * gib, 4 * time.Second, true, 0, "f [========================>] 100 % 4.0 GiB of 4.0 GiB 1.1 GB/s"},
		{5 * gib, 4 * gib, 4 * time.Second, true, 0, "f [========================>] 100 % 5.0 GiB of 4.0 GiB 1.3 GB/s"},
		{0, 500 << 20, 0, false, 0, "f [>                        ]   0 % 0 B of 500 MiB 0 B/s"},
		{2 * gib, 0, time.Second, false, 0, "f 2.0 GiB 2.1 GB/s"},
	} {
		p := Progress{Name: "f", Total: test.total, Ended: test.ended}
		p.At(test.done, test.took)
		if got := p.Line(test.columns); got != test.want {
			t.Errorf("%d of %d in %d columns: %q, want %q", test.done, test.total, test.columns, got, test.want)
		}
	}
}

// TestProgressFits: whatever the name, a line is shorter than the terminal is wide.
func TestProgressFits(t *testing.T) {
	for _, name := range []string{"f", "a/very/long/path/to/a/file/that/lies/deep/in/a/tree.log", strings.Repeat("日本語", 20)} {
		for columns := 3; columns < 200; columns++ {
			p := Progress{Name: name, Total: 1 << 40}
			p.At(1<<39, time.Hour)
			if line := p.Line(columns); displaywidth.String(line) >= columns {
				t.Fatalf("%d columns: %q", columns, line)
			}
		}
	}
	p := Progress{Name: "a/very/long/path/to/a/file/that/lies/deep/in/a/tree.log", Total: 1 << 40}
	p.At(1<<39, time.Minute)
	if line := p.Line(80); !strings.HasPrefix(line, "tree.log [") {
		t.Errorf("80 columns: %q", line)
	}
}

// TestProgressStalled: nobody knows how long the rest takes if nothing moves.
func TestProgressStalled(t *testing.T) {
	p := Progress{Name: "f", Total: 1 << 30}
	p.At(1<<20, time.Second)
	p.At(1<<20, 5*time.Second)
	p.Waits = "storage"
	if line := p.Line(0); strings.Contains(line, "left") || !strings.HasSuffix(line, " waiting for storage") {
		t.Error(line)
	}
	p.At(2<<20, 6*time.Second)
	if line := p.Line(0); !strings.Contains(line, "left") || strings.Contains(line, "waiting") {
		t.Error(line)
	}
}

// TestFolded: lines are broken between words, and all words stay.
func TestFolded(t *testing.T) {
	const line = "95.37 MiB in 0.110 s; mmap ×2; wall: memory"
	for columns, want := range map[int]string{
		0: line, 43: line, 42: "95.37 MiB in 0.110 s; mmap ×2; wall:\nmemory", 29: "95.37 MiB in 0.110 s; mmap\n×2; wall: memory",
		30: "95.37 MiB in 0.110 s; mmap ×2;\nwall: memory", 1: strings.ReplaceAll(line, " ", "\n"),
	} {
		if got := folded(line, columns); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}
