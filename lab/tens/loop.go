package tens

import "github.com/thresh-dev/thresh/lab"

// loop is the article's first program: map the file and compare one integer after the other. The
// article reports 0.61 GB/s cold and 3.71 GB/s warm, and attributes the latter to code that is not
// vectorised.
//
// Kept: one shared mapping of the whole file, no advice to the kernel, one thread; a file that
// shrinks meanwhile kills the program. The experiment has it as two rows: loop-cold and loop-warm.
func loop() Variant {
	v := Variant{ID: "loop", What: "mmap, simple loop", Published: []lab.Published{
		{Value: 0.61, Setting: lab.Setting{State: lab.Cold}}, {Value: 3.71, Setting: lab.Setting{State: lab.Warm}},
	}}
	return mappedVariant(v, func(b []byte, _ int) int64 { return countLoop(b) })
}

func countLoop(b []byte) (n int64) {
	for _, v := range values(b) {
		if v == ten {
			n++
		}
	}
	return n
}
