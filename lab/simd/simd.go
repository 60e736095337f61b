// Package simd reruns the experiments with vector instructions in the posts of February and March
// 2025 on Daniel Lemire's weblog: what it costs on Zen 4 to compress a register to memory, what it
// gains if the compiler knows a divisor, how signed comparisons order unsigned numbers, and how to
// test whether a register is all zeros. The ideas are the posts', the code is ours.
//
// The inputs are small, so that neither memory nor storage limits the speed.
package simd

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/thresh-dev/thresh/lab"
)

// Experiment returns the experiment "simd".
func Experiment() *lab.Experiment {
	e := &lab.Experiment{
		Name: "simd",
		Article: lab.Article{
			Title:  "Posts on vector instructions, February and March 2025",
			Author: "Daniel Lemire", URL: "https://lemire.me/blog/",
			Machine: "Zen 4 in Amazon's cloud (minify); the other posts give no times",
		},
		Method: lab.Method{Runs: 5, Trim: 1,
			Text: "5 runs, the fastest and the slowest left out, mean of three; a run repeats the work for 0.1 s"},
		Metric: lab.Metric{Unit: "GB/s", MoreIsBetter: true,
			Of: func(o lab.Outcome) float64 { return float64(o.Bytes) / o.Seconds / 1e9 }},
		Claims: []lab.Claim{registerClaim()},
	}
	e.Variants = append(e.Variants, nonzeroVariants()...)
	e.Variants = append(e.Variants, unsignedVariants()...)
	e.Variants = append(e.Variants, divideVariants()...)
	e.Variants = append(e.Variants, minifyVariants()...)
	return e
}

// work is a variant at work, with its inputs and outputs in memory.
type work struct {
	once   func()        // does all of it
	bytes  int           // that it reads
	answer func() string // what the last time gave
}

// variant returns a variant that repeats the work. Variants that do the same work want the same answer.
func variant(id, what, want string, missing func() string, prepare func() (work, error)) lab.Variant {
	return lab.Variant{
		ID: id, What: what, Work: want, Missing: missing,
		Settings: []lab.Setting{{}},
		Want:     func(lab.Setting) string { return want },
		Run: func(ctx context.Context, _ lab.Task) (lab.Outcome, error) {
			w, err := prepare()
			if err != nil {
				return lab.Outcome{}, fmt.Errorf("prepare %s: %w", id, err)
			}
			seconds, times, err := lab.Repeat(ctx, w.once)
			return lab.Outcome{Seconds: seconds, Bytes: times * int64(w.bytes), Items: times, Answer: w.answer()}, err
		},
	}
}

func nothing() string { return "" } // is missing

// digest describes bytes in an answer.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return fmt.Sprintf("%d bytes, SHA-256 %x", len(b), sum[:8])
}

// littleEndian returns the bytes of the values.
func littleEndian(values []uint32) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}
