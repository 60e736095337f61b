package utf8

import "unicode/utf8"

// validPlain is the standard library's function; it defines what is right.
func validPlain(b []byte) bool { return utf8.Valid(b) }
