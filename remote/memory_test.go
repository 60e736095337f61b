package remote

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/options"
)

// ownBytes returns the memory of this process that no file stands behind, 0 if the system does not tell.
func ownBytes() (n int64) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "RssAnon: %d kB", &n); err == nil {
			return n << 10
		}
	}
	return 0
}

// watchMemory looks at the memory of this process until the function that it returns is called, which says what the
// most was.
func watchMemory() (peak func() int64) {
	stop, most := make(chan struct{}), make(chan int64)
	go func() {
		n := ownBytes()
		for tick := time.NewTicker(2 * time.Millisecond); ; n = max(n, ownBytes()) {
			select {
			case <-stop:
				most <- n
				return
			case <-tick.C:
			}
		}
	}()
	return func() int64 { close(stop); return <-most }
}

// TestMemory keeps to small bounds: with fewer connections, and with shorter ranges.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what memory is the process's own")
	}
	data := text(48 << 20)
	name := serve(t, serveRanges(data))
	lines := bytes.Count(data, []byte{'\n'})
	want := fmt.Sprintf("%d true %d ", lines+1, lines)
	if data[len(data)-1] == '\n' {
		want = fmt.Sprintf("%d true %d ", lines, lines)
	}
	for _, bound := range []int64{22 << 20, 30 << 20, 64 << 20} {
		got := inProcess(t, name, fmt.Sprint(boundVariable, "=", bound))
		peak, found := strings.CutPrefix(got, want)
		var n int64
		if _, err := fmt.Sscan(peak, &n); err != nil || !found || n <= 0 || n > bound {
			t.Errorf("within %d bytes: %s, want %sand no more bytes than that", bound, got, want)
		}
	}
}

// TestMemoryTooSmall refuses what no smaller sizes can keep to.
func TestMemoryTooSmall(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(text(300_000))
	w.Close()
	c := newClient(t, quick)
	for _, of := range []struct {
		what  string
		data  []byte
		bound int64
	}{{"plain", text(300_000), 8 << 20}, {"gzip", packed.Bytes(), 19 << 20}} {
		in, err := c.Open(t.Context(), serve(t, serveRanges(of.data)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = thresh.Count(t.Context(), in, thresh.LineCount(), options.Scan{Run: options.Run{MemoryBytes: of.bound}})
		if !errors.As(err, new(*failure.MemoryError)) {
			t.Errorf("%s: %v", of.what, err)
		}
		in.Close()
	}
}
