package lab

import (
	"runtime"
	"slices"
	"testing"
)

func TestScale(t *testing.T) {
	for processors, want := range map[int][]int{
		0: {1, 2, 4}, 1: {1, 2, 4}, 2: {1, 2, 4, 8}, 3: {1, 2, 3, 4, 8, 12}, 6: {1, 2, 4, 6, 8, 16, 24},
		16: {1, 2, 4, 8, 16, 32, 64},
	} {
		if got := Scale(processors); !slices.Equal(got, want) {
			t.Errorf("%d processors: %v, want %v", processors, got, want)
		}
	}
}

func TestWorkers(t *testing.T) {
	if n := (Task{Setting: Setting{Workers: 3}}).Workers(); n != 3 {
		t.Errorf("%d workers for 3", n)
	}
	if n := (Task{}).Workers(); n != runtime.GOMAXPROCS(0) {
		t.Errorf("%d workers for %d processors", n, runtime.GOMAXPROCS(0))
	}
}
