package rows

import "github.com/thresh-dev/thresh/internal/kernel/fields"

// walkPlain looks at one byte after the other.
func walkPlain(b []byte, d fields.Dialect, s fields.State) Walk {
	var w Walk
	quote, delim := d.Quote, d.Delim
	for _, c := range b {
		switch {
		case c == quote:
			w.Quotes = true
			switch s {
			case fields.InQuotes:
				s = fields.AtField // where another one opens the field again
			case fields.AtField:
				s = fields.InQuotes
			}
		case c == '\n':
			w.Lines++
			if s != fields.InQuotes {
				w.Feeds++
				s = fields.AtField
			}
		case s == fields.InQuotes:
		case c == delim:
			s = fields.AtField
		default:
			s = fields.InField
		}
	}
	w.Behind = s
	return w
}
