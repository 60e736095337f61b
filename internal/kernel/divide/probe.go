package divide

import (
	"fmt"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// Probes returns the benchmark tasks of the family: a divisor for each way and width.
func Probes() (all []kernel.Probe) {
	for _, d := range []uint32{1024, 1000, 7} {
		all = append(all,
			kernel.NewProbe(fmt.Sprintf("divide u32 by %d", d), 4, 0, variants, func(f dividers, n int) kernel.Work {
				by := new32(d, kernel.Variant[dividers]{Func: f})
				src, dst := make([]uint32, n/4), make([]uint32, n/4)
				for i := range src {
					src[i] = uint32(i+1) * 0x9e3779b9
				}
				return work(by.Divide, dst, src)
			}),
			kernel.NewProbe(fmt.Sprintf("divide u64 by %d", d), 8, 0, variants, func(f dividers, n int) kernel.Work {
				by := new64(uint64(d), kernel.Variant[dividers]{Func: f})
				src, dst := make([]uint64, n/8), make([]uint64, n/8)
				for i := range src {
					src[i] = uint64(i+1) * 0x9e3779b97f4a7c15
				}
				return work(by.Divide, dst, src)
			}))
	}
	return all
}

func work[T uint32 | uint64](divide func(dst, src []T), dst, src []T) kernel.Work {
	return kernel.Work{
		Run: func(rounds int) {
			for range rounds {
				divide(dst, src)
			}
		},
		Answer: func() any {
			divide(dst, src)
			first := (*byte)(unsafe.Pointer(unsafe.SliceData(dst)))
			return string(unsafe.Slice(first, len(dst)*int(unsafe.Sizeof(T(0)))))
		},
	}
}
