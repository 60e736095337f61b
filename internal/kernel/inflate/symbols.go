package inflate

import "sync"

const (
	fixedLiterals  = 288 // symbols with codes in fixed blocks, two of which must not occur
	fixedDistances = 32
	endSymbol      = 256
)

// lengthOrder is the order in which a block's header has the lengths of the codes for lengths.
var lengthOrder = [lengthCodes]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// The entries of all symbols, with no code yet (RFC 1951, section 3.2.5).
var (
	literalSymbols  = makeLiteralSymbols()
	distanceSymbols = makeDistanceSymbols()
	lengthSymbols   = makeLengthSymbols()
)

// makeLiteralSymbols returns 256 literals, the end of the block, and lengths from 3 to 258. Four
// lengths in a row have one extra bit more than the four before them; 258 has a symbol of its own.
func makeLiteralSymbols() (all [fixedLiterals]entry) {
	for i := range 256 {
		all[i] = oneLiteral | entry(i)<<16
	}
	all[endSymbol] = endOfBlock
	least := entry(3)
	for i := 257; i < literalMax-1; i++ {
		extra := entry(max(0, (i-261)/4))
		all[i] = least<<16 | extra
		least += 1 << extra
	}
	all[literalMax-1] = 258 << 16
	for i := literalMax; i < fixedLiterals; i++ {
		all[i] = noSymbol
	}
	return all
}

// makeDistanceSymbols returns distances from 1 to 32768. Two in a row have one extra bit more than
// the two before them.
func makeDistanceSymbols() (all [fixedDistances]entry) {
	least := entry(1)
	for i := range distanceMax {
		extra := entry(max(0, (i-2)/2))
		all[i] = least<<16 | extra
		least += 1 << extra
	}
	for i := distanceMax; i < fixedDistances; i++ {
		all[i] = noSymbol
	}
	return all
}

// makeLengthSymbols returns the lengths of codes, and three symbols whose values are the least times
// that they repeat one: the length before, from 3 times, and zero, from 3 or from 11 times.
func makeLengthSymbols() (all [lengthCodes]entry) {
	for i := range 16 {
		all[i] = entry(i) << 16
	}
	all[16], all[17], all[18] = 3<<16|2, 3<<16|3, 11<<16|7
	return all
}

// tables are the codes of a block.
type tables struct {
	literals  [literalEntries]entry
	distances [distanceEntries]entry
}

// build makes the tables of a block from the lengths of its codes. It returns false if there are no
// such codes.
func (t *tables) build(literals, distances []uint8) bool {
	if !build(t.literals[:], literalRoot, literals, literalSymbols[:]) ||
		!build(t.distances[:], distanceRoot, distances, distanceSymbols[:]) {
		return false
	}
	pair(&t.literals)
	return true
}

// fixed returns the tables of blocks with fixed codes (RFC 1951, section 3.2.6).
var fixed = sync.OnceValue(func() *tables {
	var lengths [fixedLiterals + fixedDistances]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		case i < fixedLiterals:
			lengths[i] = 8
		default:
			lengths[i] = 5
		}
	}
	t := new(tables)
	if !t.build(lengths[:fixedLiterals], lengths[fixedLiterals:]) {
		panic("thresh: bug: the fixed codes are not complete")
	}
	return t
})
