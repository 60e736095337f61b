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
func markPlain(b []byte, begins, escaped []uint64, at State) (State, Found) {
	var found Found
	for i := 0; i < len(b); i += BlockBytes {
		var begin, escape uint64
		for j, c := range b[i : i+BlockBytes] {
			bit := uint64(1) << j
			kind := kinds[c]
			found.Wide = found.Wide || c > 0x7f
			switch {
			case at.Escaped:
				escape |= bit
				at.Escaped = false
				found.Foul = found.Foul || c < 0x20
			case at.InString:
				at.InString = kind != quote
				at.Escaped = kind == slash
				found.Foul = found.Foul || c < 0x20
			case kind == white:
				at.InWord = false
			case kind == alone:
				begin |= bit
				at.InWord = false
			default:
				if !at.InWord {
					begin |= bit
				}
				at.InString = kind == quote
				at.InWord = !at.InString
				found.Foul = found.Foul || kind == slash
			}
		}
		begins[i/BlockBytes], escaped[i/BlockBytes] = begin, escape
		found.Escapes = found.Escapes || escape != 0
	}
	return at, found
}
