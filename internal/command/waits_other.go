//go:build !linux

package command

// waits tells what a run waits for: no other system says what its threads are doing.
type waits struct {
	name  string
	total int64
}

func (w *waits) what() string { return "" }
