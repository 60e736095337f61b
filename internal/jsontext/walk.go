package jsontext

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
)

// A step of the grammar that takes a state from a table by state and byte waits for the load of the
// state before: eight cycles a word. So here the states are numbers of bits to shift by, and
// a byte has one number that holds, at the place of each state, the state behind it. What is
// loaded then depends on the text alone, and a step is one shift (Vognsen, Shift-based DFAs,
// 2019).
//
// There is room for ten states of six bits. top is not needed, as the walk begins within a value;
// behind topDone nothing may come, so that it shares its place with what is wrong.
var shifts = [states]uint8{
	top: wrong, topDone: wrong, manyTops: 6, arrayFirst: 12, arrayValue: 18, arrayNext: 24,
	objectName1: 30, objectName: 36, objectColon: 42, objectValue: 48, objectNext: 54,
}

// wrong is the shift of no state: whatever follows, it stays.
const wrong = 0

// unshifted turns shifts back, less wrong.
var unshifted = func() (all [64]state) {
	for s, shift := range shifts {
		all[shift] = state(s)
	}
	all[wrong] = topDone
	return all
}()

// steps64 is for each byte what follows on it. Behind what opens, it is the state behind the end;
// behind what closes, any but wrong.
var steps64 = func() (all [256]uint64) {
	for c := range all {
		for s := manyTops; s < states; s++ {
			do := moves[s][c]
			then := uint64(shifts[do&stateBits])
			switch do &^ stateBits {
			case refused:
				then = wrong
			case endNested:
				then = uint64(shifts[arrayNext])
			}
			all[c] |= then << shifts[s]
		}
	}
	return all
}()

// walk follows the grammar from one beginning of a word to the next. If it is not ok, the
// state of the machine is as before and its stack means nothing.
func (m *machine) walk(p []byte, from int, marks []jsonscan.Marks) (ok bool) {
	stack := m.stack
	at := uint64(shifts[m.state])
	done := m.state == topDone // the value that the text is has ended
	for i := range marks {
		block := p[from+i*jsonscan.BlockBytes:][:jsonscan.BlockBytes]
		mask := marks[i].Begins
		if done && mask != 0 {
			return false
		}
		for ; mask != 0; mask &= mask - 1 {
			c := block[bits.TrailingZeros64(mask)&(jsonscan.BlockBytes-1)]
			at = steps64[c] >> (at & 63)
			if c|0x20 != '{' && c|0x20 != '}' {
				continue
			}
			if at &= 63; at == wrong {
				return false
			}
			if c|0x20 == '}' {
				behind := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				at = uint64(shifts[behind])
				if behind == topDone {
					if done = true; mask&(mask-1) != 0 {
						return false
					}
				}
				continue
			}
			if len(stack) == m.depthMax {
				return false
			}
			stack = append(stack, unshifted[at])
			at = uint64(shifts[objectName1])
			if c == '[' {
				at = uint64(shifts[arrayFirst])
			}
		}
	}
	if at &= 63; at == wrong && !done {
		return false
	}
	m.state, m.stack = unshifted[at], stack
	return true
}
