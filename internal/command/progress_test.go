package command

import (
	"testing"
	"time"
)

func TestBarLine(t *testing.T) {
	const gib = 1 << 30
	for _, test := range []struct {
		done, total int64
		took        time.Duration
		want        string
	}{
		{gib, 4 * gib, time.Second, "f [======>                  ]  25 % 1.0 of 4.0 GiB 1.07 GB/s 3s left"},
		{4 * gib, 4 * gib, 4 * time.Second, "f [========================>] 100 % 4.0 of 4.0 GiB 1.07 GB/s 0s left"},
		{5 * gib, 4 * gib, 4 * time.Second, "f [========================>] 100 % 5.0 of 4.0 GiB 1.34 GB/s 0s left"},
		{0, 4 * gib, 0, "f [>                        ]   0 % 0.0 of 4.0 GiB 0.00 GB/s"},
		{2 * gib, 0, time.Second, "f 2.0 GiB 2.15 GB/s"},
	} {
		if got := BarLine("f", test.done, test.total, test.took); got != test.want {
			t.Errorf("%d of %d: %q, want %q", test.done, test.total, got, test.want)
		}
	}
}
