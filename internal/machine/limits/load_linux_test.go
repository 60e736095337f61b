package limits

import (
	"testing"
	"time"
)

func TestParseBusyTime(t *testing.T) {
	const stat = "cpu  100 20 30 5000 400 5 6 7 90 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n"
	if got, ok := parseBusyTime([]byte(stat)); !ok || got != 168*tick {
		t.Errorf("%v, %v", got, ok)
	}
	for _, text := range []string{"", "cpu 1 2 3", "intr 1 2 3 4 5 6 7 8 9", "cpu a 2 3 4 5 6 7 8 9 10"} {
		if _, ok := parseBusyTime([]byte(text)); ok {
			t.Errorf("%q is taken", text)
		}
	}
	if busy, ok := systemBusyTime(); ok && busy < time.Second {
		t.Errorf("the system has worked for %v", busy)
	}
}
