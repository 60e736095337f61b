// Command shapes calls functions of all shapes and prints what they return.
package main

import (
	"fmt"
	"runtime"
)

type pair struct{ low, high uint32 }

type outer struct {
	pair  pair
	small [1]uint32
	text  string
	last  bool
}

// weights is a table that the functions read.
var weights = [...]uint64{3, 1 << 40, 5, 1<<64 - 1}

func main() {
	for i := range 40 {
		text := "some text of any length, which is cut"[:i%37]
		fmt.Println(mixed(uint8(i*37), i%3 == 0, int16(i*-999), uint32(i)<<28, -1, float32(i)/3, float64(i)*1.5, text))
		whole := outer{pair{7, uint32(i * i)}, [1]uint32{uint32(i) << 20}, text, i%2 == 0}
		fmt.Println(nested(pair{uint32(i), ^uint32(0)}, whole))
		var p [64]uint64
		for j := range p {
			p[j] = uint64(i*j) * 0x9e3779b97f4a7c15
		}
		fmt.Println(slices([]byte(text), p[:i], text))
		fmt.Println(spills((*[32]uint64)(p[:]), i))
		fmt.Println(constants(float64(i), float32(i)))
		fmt.Println(vectors([]byte("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbaaaaaaaaaaaaaaaab")[i:], 'a'))
		fmt.Println(large(&p, i))
		fmt.Println(at([]byte(text+"."), i%(len(text)+1)))
		nothing()
	}
	for depth := range 200 {
		sum := make(chan uint64)
		go func() { sum <- deep(depth, new([64]uint64)) }()
		fmt.Println(<-sum)
	}
	panics := 0
	for i := range 1000 {
		panics += panicking(make([]byte, i), i)
		if i%20 == 0 {
			runtime.GC()
		}
	}
	fmt.Println(panics)
}

// deep calls a function with a large frame when the stack has little or no room left.
func deep(n int, p *[64]uint64) uint64 {
	p[n%64] += uint64(n)
	if n > 0 {
		return deep(n-1, p) + 1
	}
	return large(p, 50)
}

// panicking goes out of bounds, and collects garbage while the stack is unwound.
func panicking(b []byte, i int) (n int) {
	defer func() {
		if i%100 == 0 {
			runtime.GC()
		}
		if recover() != nil && len(b) == i {
			n = 1
		}
	}()
	at(b, i)
	return 0
}
