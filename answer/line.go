package answer

// Line is a line that a search returns. Text and Matches are valid until the next line.
type Line struct {
	Kind    LineKind
	Number  int64   // from 1; 0 of LineBinary
	Offset  int64   // of its first byte in the input; of LineBinary, of the zero byte
	Text    []byte  // without its line feed; nil of LineBinary
	Matches []Match // none if lines that do not match were asked for
}

// LineKind says why a line is returned.
type LineKind uint8

// The kinds of lines.
const (
	LineSelected LineKind = iota // it matches, or does not if that was asked for
	LineContext                  // it is near a selected one
	LineBinary                   // no line: one that is selected holds or follows a zero byte, which ends the search
)

// Match is where a pattern matches in the text of a line.
type Match struct{ Start, End int }
