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
func markPlain(b []byte, marks []Marks, at State) (State, Found) {
	var found Found
	for i := 0; i < len(b); i += BlockBytes {
		var m Marks
		for j, c := range b[i : i+BlockBytes] {
			bit := uint64(1) << j
			kind := kinds[c]
			found.Wide = found.Wide || c > 0x7f
			switch {
			case at.InString:
				if at.Escaped {
					m.Escaped |= bit
				}
				found.Foul = found.Foul || c < 0x20
				at.InString = kind != quote || at.Escaped
				at.Escaped = kind == slash && !at.Escaped
			case kind == white:
				at.InWord = false
			case kind == alone || kind == quote:
				m.Begins |= bit
				at.InString, at.InWord = kind == quote, false
			case !at.InWord:
				m.Begins |= bit
				m.Words |= bit
				at.InWord = true
				fallthrough
			default:
				found.Foul = found.Foul || kind == slash
			}
		}
		marks[i/BlockBytes] = m
		found.Escapes = found.Escapes || m.Escaped != 0
	}
	return at, found
}
