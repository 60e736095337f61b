package simd

import (
	"fmt"

	"github.com/thresh-dev/thresh/lab"
)

// registerFactor is the speed-up of the post: "over 15 times".
const registerFactor = 15

func registerClaim() lab.Claim {
	return lab.Claim{
		ID: "S1", Text: "Compressing to a register is 15 times faster than to memory on Zen 4.",
		Theirs: "1.25 and 22 GB/s: over 15 times",
		Judge:  judgeRegister,
	}
}

func judgeRegister(e *lab.Experiment, r lab.Results) lab.Verdict {
	const toMemory, toRegister = "simd/minify-memory", "simd/minify-register"
	var rates [2]lab.Spread
	for i, id := range []string{toMemory, toRegister} {
		var ok bool
		if rates[i], ok = e.Figure(r.Of(id, lab.Setting{})); !ok {
			return lab.Verdict{Holds: lab.Untested, Ours: "-", Why: r.Absent(id, lab.Setting{}),
				Evidence: []string{"processor: " + r.Machine.Processor}}
		}
	}
	times := lab.Over(rates[1], rates[0])
	v := lab.Verdict{
		Holds: lab.Factor(times, registerFactor),
		Ours:  fmt.Sprintf("%.2f and %.2f GB/s: %s", rates[0].Value, rates[1].Value, times),
		Evidence: []string{"processor: " + r.Machine.Processor,
			fmt.Sprintf("both variants differ in one instruction; a block of 64 bytes takes %.1f ns and %.1f ns",
				blockBytes/rates[0].Value, blockBytes/rates[1].Value)},
	}
	switch v.Holds {
	case lab.Yes:
		v.Why = "Only the store differs, and the post counted 256 micro-operations for a compressing store on Zen 4."
	case lab.InPart:
		v.Why = "A compressing store is slow here too, but less so, or the rest of the work hides it."
	case lab.No:
		v.Why = "This processor compresses to memory about as fast as to a register; " +
			"the post says so of Intel's and of Zen 5."
	default:
		v.Why = "The runs differ too much."
	}
	return v
}
