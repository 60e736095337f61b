package question

// Literals are texts, and bytes in hexadecimal: two digits a byte, spaces between bytes, and a question mark for any
// digit. If several match at one place, the first in the list counts, texts before bytes in hexadecimal.
type Literals struct {
	Texts []string
	Hex   []string
	// IgnoreCase ignores the case of letters, by Unicode's simple folding. The texts must then be valid UTF-8, and Hex
	// must be empty.
	IgnoreCase bool
}

// Lines says which lines match: those in which at least one pattern does.
type Lines struct {
	// Patterns are expressions in the syntax of RE2. One that contains line feeds is a pattern for each of its lines.
	// An empty pattern matches every line; without patterns, no line matches.
	Patterns   []string
	Fixed      bool // the patterns are texts, not expressions
	IgnoreCase bool // letters match in either case, by Unicode's simple folding
	SmartCase  bool // IgnoreCase, if the patterns have literal characters, and none in upper case
	Word       bool // no letter, digit or underscore of any script is directly before or after a match
	Whole      bool // a match is a whole line; Word then changes nothing
}
