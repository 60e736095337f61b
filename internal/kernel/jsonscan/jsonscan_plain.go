package jsonscan

// The kinds of bytes outside of strings.
const (
	word  = iota // also what has no place in JSON
	white        // white space (RFC 8259, section 2)
	alone        // a word of its own
	quote
	slash
)

var kinds = [256]uint8{
	' ': white, '\t': white, '\n': white, '\r': white,
	'{': alone, '}': alone, '[': alone, ']': alone, ':': alone, ',': alone,
	'"': quote, '\\': slash,
	// With bit 5 set these are ':' and ',', which is all that the vector forms look at.
	':' &^ 0x20: alone, ',' &^ 0x20: alone,
}

// markPlain defines what is right.
func markPlain(b []byte, begins []uint16, escaped []uint64, at State) (n int, end State, found Found) {
	begin := func(i int) {
		begins[n] = uint16(i)
		n++
	}
	clear(escaped[:len(b)/BlockBytes])
	for i, c := range b {
		kind := kinds[c]
		found.Wide = found.Wide || c > 0x7f
		switch {
		case at.InString:
			if at.Escaped {
				escaped[i/BlockBytes] |= 1 << (i % BlockBytes)
				found.Escapes = true
			}
			found.Foul = found.Foul || c < 0x20
			at.InString = kind != quote || at.Escaped
			at.Escaped = kind == slash && !at.Escaped
		case kind == white:
			at.InWord = false
		case kind == alone || kind == quote:
			begin(i)
			at.InString, at.InWord = kind == quote, false
		default:
			if !at.InWord {
				begin(i)
			}
			at.InWord = true
			found.Foul = found.Foul || kind == slash
		}
	}
	return n, at, found
}
