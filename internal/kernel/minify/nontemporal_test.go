package minify

import (
	"bytes"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
)

// Every length and place within a line of memory; the bytes around it do not change.
func TestCopyFar(t *testing.T) {
	const longest = 700
	head, tail := kerneltest.Guarded(t, longest)
	src := make([]byte, longest)
	for i := range src {
		src[i] = byte(i*7 + 1)
	}
	for n := range longest + 1 {
		for at := 0; at <= min(65, longest-n); at++ {
			clear(head)
			if got := CopyNonTemporal(head[at:at+n], src); got != n || !bytes.Equal(head[at:at+n], src[:n]) ||
				bytes.ContainsFunc(head[:at], func(r rune) bool { return r != 0 }) || at+n < longest && head[at+n] != 0 {
				t.Fatalf("%d bytes to %d: %d, or other bytes", n, at, got)
			}
		}
		if got := CopyNonTemporal(tail[longest-n:], src[longest-n:]); got != n || !bytes.Equal(tail[longest-n:], src[longest-n:]) {
			t.Fatalf("%d bytes before a guard: %d, or other bytes", n, got)
		}
	}
	if got := CopyNonTemporal(make([]byte, 10), src); got != 10 {
		t.Errorf("to 10 bytes: %d", got)
	}
}
