package thresh

import (
	"context"
	"errors"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/kernelbench"
)

// KernelSpeeds is how fast each kernel is in each instruction set that can run here, which variant is
// chosen, and where that comes from: see Receipt.KernelOrigin.
type KernelSpeeds struct{ rows []kernelbench.Row }

// Kernels measures the variants of the kernels whose names begin with name, all of them if it is empty,
// in a core's second-level cache; all take a few seconds. Each answer is first compared with that of
// the plain variant; a different one is an error. Step is called with the name of each kernel before it
// is measured; it may be nil. A name that fits no kernel is an *OptionError.
func Kernels(ctx context.Context, name string, step func(string)) (*KernelSpeeds, error) {
	rows, err := bench(ctx, name, step, kernelbench.Measure)
	if err != nil {
		return nil, err
	}
	return &KernelSpeeds{rows}, nil
}

// Text returns the speeds as an aligned table for people.
func (k *KernelSpeeds) Text() string { return kernelbench.Text(k.rows) }

// MarshalJSON returns the speeds as a list of objects, one a kernel.
func (k *KernelSpeeds) MarshalJSON() ([]byte, error) { return kernelbench.JSON(k.rows) }

// SlowKernels are variants of kernels that are slower than the plain ones.
type SlowKernels struct{ all []kernelbench.Slower }

// CompareKernels measures the variants of kernels against the plain ones, on inputs from one byte to 64
// KiB, and returns where they are slower. The arguments are those of Kernels.
func CompareKernels(ctx context.Context, name string, step func(string)) (*SlowKernels, error) {
	all, err := bench(ctx, name, step, kernelbench.Compare)
	if err != nil {
		return nil, err
	}
	return &SlowKernels{all}, nil
}

// Text returns the list as an aligned table for people.
func (s *SlowKernels) Text() string { return kernelbench.SlowerText(s.all) }

// MarshalJSON returns the list as objects, one a variant and length.
func (s *SlowKernels) MarshalJSON() ([]byte, error) { return kernelbench.SlowerJSON(s.all) }

// KernelTimes is how long a call of each variant of the kernels takes, for inputs from one byte on.
type KernelTimes struct{ all []kernelbench.Timing }

// TimeKernels measures the variants of kernels on inputs from one byte to 256 KiB. The arguments are
// those of Kernels.
func TimeKernels(ctx context.Context, name string, step func(string)) (*KernelTimes, error) {
	all, err := bench(ctx, name, step, kernelbench.Times)
	if err != nil {
		return nil, err
	}
	return &KernelTimes{all}, nil
}

// Text returns the times as an aligned table for people.
func (k *KernelTimes) Text() string { return kernelbench.TimesText(k.all) }

// MarshalJSON returns the times as objects, one a variant and length.
func (k *KernelTimes) MarshalJSON() ([]byte, error) { return kernelbench.TimesJSON(k.all) }

// bench measures the kernels whose names begin with name.
func bench[R any](ctx context.Context, name string, step func(string),
	measure func(context.Context, []kernel.Probe, func(string)) ([]R, error)) ([]R, error) {
	probes, err := kernelbench.Named(name)
	if unknown := (*kernelbench.UnknownError)(nil); errors.As(err, &unknown) {
		err = &OptionError{"name", name, err.Error()}
	}
	if err != nil {
		return nil, err
	}
	if step == nil {
		step = func(string) {}
	}
	return measure(ctx, probes, step)
}
