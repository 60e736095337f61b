// Command simd measures the variants of lab/simd and prints the results next to the published ones.
//
//	go run ./lab/simd/cmd/simd
package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/thresh-dev/thresh/lab/gen"
	"github.com/thresh-dev/thresh/lab/simd"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "simd:", err)
		os.Exit(1)
	}
}

// rounds is how often each variant is measured, in turn with the others. The result is the median.
const rounds = 15

func run() error {
	in, err := input()
	if err != nil {
		return err
	}
	rates, err := measure(in)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "variant\tpublished\there")
	for _, v := range simd.Variants() {
		here := "cannot run here: " + v.Unavailable
		if v.New != nil {
			here = fmt.Sprintf("%.2f GB/s", rates[v.ID()]/1e9)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", v.ID(), v.Published, here)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Println(verdict(rates["simd/minify-memory"], rates["simd/minify-register"]))
	return nil
}

// input returns an input that fits in a core's L2 cache, so that memory does not limit the speed.
func input() (simd.Input, error) {
	var text bytes.Buffer
	if err := gen.JSON(&text, 256<<10, 1); err != nil {
		return simd.Input{}, err
	}
	in := simd.Input{JSON: text.Bytes(), Numbers: make([]uint32, 16<<10), Divisor: 5, Zeros: make([]byte, 64<<10)}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range in.Numbers {
		in.Numbers[i] = random.Uint32()
	}
	return in, nil
}

// measure returns the bytes per second of each variant. The answers of a task's variants must agree.
func measure(in simd.Input) (map[string]float64, error) {
	const passes = 20 // calls of a variant in each round
	answers, samples := map[string]uint64{}, map[string][]float64{}
	for round := range rounds + 1 {
		for _, v := range simd.Variants() {
			if v.New == nil {
				continue
			}
			run, bytes := v.New(in)
			answer := run() // also faults in the memory
			begin := time.Now()
			for range passes {
				run()
			}
			took := time.Since(begin).Seconds()
			if want, known := answers[v.Task]; known && answer != want {
				return nil, fmt.Errorf("%s: wrong answer %d, want %d", v.ID(), answer, want)
			}
			answers[v.Task] = answer
			if round > 0 { // the first round is the warm-up
				samples[v.ID()] = append(samples[v.ID()], float64(bytes*passes)/took)
			}
		}
	}
	rates := map[string]float64{}
	for id, all := range samples {
		slices.Sort(all)
		rates[id] = all[len(all)/2]
	}
	return rates, nil
}

// verdict returns whether claim S1 holds here.
func verdict(memory, register float64) string {
	const claimed, holds = 15, 10
	if memory == 0 {
		return "S1, compressing to a register is 15 times faster on Zen 4: cannot be tested here"
	}
	times := register / memory
	switch {
	case times >= holds:
		return fmt.Sprintf("S1 holds here: a register is %.1f times as fast as memory, %d published", times, claimed)
	case times >= 2:
		return fmt.Sprintf("S1 holds in part: a register is %.1f times as fast as memory, %d published", times, claimed)
	default:
		return fmt.Sprintf("S1 does not hold here: a register is %.1f times as fast as memory, %d published", times, claimed)
	}
}
