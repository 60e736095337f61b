package thresh

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/machine/kernelbench"
)

// KernelSpeeds says how fast each kernel of the product is in each instruction set that may
// run here, which variant is chosen, and where that comes from: "archsimd" in a build with
// GOEXPERIMENT=simd, "assembly" in every other. Portable code has no origin.
type KernelSpeeds struct{ rows []kernelbench.Row }

// Kernels measures the forms of the kernels whose names begin with name, all of them if it is
// empty, on a core's second-level cache: a few seconds in all. Each answer is first compared
// to that of the plain twin; one that differs is an error. step is told each kernel before it
// is measured; it may be nil.
func Kernels(ctx context.Context, name string, step func(string)) (*KernelSpeeds, error) {
	probes, step, err := kernelProbes(name, step)
	if err != nil {
		return nil, err
	}
	rows, err := kernelbench.Measure(ctx, probes, step)
	if err != nil {
		return nil, err
	}
	return &KernelSpeeds{rows}, nil
}

// Text returns the speeds as an aligned table for people.
func (k *KernelSpeeds) Text() string { return kernelbench.Text(k.rows) }

// MarshalJSON returns the speeds as a list of objects, one a kernel.
func (k *KernelSpeeds) MarshalJSON() ([]byte, error) {
	type row struct {
		Kernel string             `json:"kernel"`
		Bytes  int                `json:"bytes"`
		Chosen string             `json:"chosen"`
		Origin string             `json:"origin,omitempty"`
		GBps   map[string]float64 `json:"gb_per_s"`
	}
	all := []row{}
	for _, r := range k.rows {
		speeds := map[string]float64{}
		for _, s := range r.Speeds {
			speeds[s.ISA.String()] = s.GBps
		}
		all = append(all, row{r.Kernel, r.Bytes, r.Chosen.String(), r.Chosen.Origin(), speeds})
	}
	return json.Marshal(all)
}

// SlowKernels are forms of kernels that are slower than their plain twins.
type SlowKernels struct{ all []kernelbench.Slower }

// CompareKernels measures each form of the kernels whose names begin with name against its
// plain twin on inputs from one byte to 64 KiB, and returns where it is slower. step is as in
// Kernels.
func CompareKernels(ctx context.Context, name string, step func(string)) (*SlowKernels, error) {
	probes, step, err := kernelProbes(name, step)
	if err != nil {
		return nil, err
	}
	all, err := kernelbench.Compare(ctx, probes, step)
	if err != nil {
		return nil, err
	}
	return &SlowKernels{all}, nil
}

// Text returns the list as an aligned table for people.
func (s *SlowKernels) Text() string { return kernelbench.SlowerText(s.all) }

// MarshalJSON returns the list as objects, one a form and length.
func (s *SlowKernels) MarshalJSON() ([]byte, error) {
	type row struct {
		Kernel  string  `json:"kernel"`
		ISA     string  `json:"isa"`
		Origin  string  `json:"origin,omitempty"`
		Bytes   int     `json:"bytes"`
		Ns      float64 `json:"ns"`
		PlainNs float64 `json:"plain_ns"`
	}
	all := []row{}
	for _, r := range s.all {
		all = append(all, row{r.Kernel, r.ISA.String(), r.ISA.Origin(), r.Bytes, r.Nanoseconds, r.PlainTwin})
	}
	return json.Marshal(all)
}

// KernelTimes says how long a call of each variant of the kernels takes, from one byte on.
type KernelTimes struct{ all []kernelbench.Timing }

// TimeKernels measures each variant of the kernels whose names begin with name on inputs from
// one byte to 256 KiB. step is as in Kernels.
func TimeKernels(ctx context.Context, name string, step func(string)) (*KernelTimes, error) {
	probes, step, err := kernelProbes(name, step)
	if err != nil {
		return nil, err
	}
	all, err := kernelbench.Times(ctx, probes, step)
	if err != nil {
		return nil, err
	}
	return &KernelTimes{all}, nil
}

// Text returns the times as an aligned table for people.
func (k *KernelTimes) Text() string { return kernelbench.TimesText(k.all) }

// MarshalJSON returns the times as objects, one a variant and length.
func (k *KernelTimes) MarshalJSON() ([]byte, error) {
	type row struct {
		Kernel string  `json:"kernel"`
		ISA    string  `json:"isa"`
		Origin string  `json:"origin,omitempty"`
		Bytes  int     `json:"bytes"`
		Ns     float64 `json:"ns"`
	}
	all := []row{}
	for _, t := range k.all {
		all = append(all, row{t.Kernel, t.ISA.String(), t.ISA.Origin(), t.Bytes, t.Nanoseconds})
	}
	return json.Marshal(all)
}

// kernelProbes returns the tasks whose names begin so, and a step that may be called.
func kernelProbes(name string, step func(string)) ([]kernel.Probe, func(string), error) {
	if step == nil {
		step = func(string) {}
	}
	if err := cpu.Err(); err != nil {
		return nil, step, err
	}
	var names []string
	probes := slices.DeleteFunc(kernelbench.Probes(), func(p kernel.Probe) bool {
		names = append(names, p.Name)
		return !strings.HasPrefix(p.Name, name)
	})
	if len(probes) == 0 {
		return nil, step, fmt.Errorf("no kernel's name begins with %q (known: %s)", name, strings.Join(names, ", "))
	}
	return probes, step, nil
}
