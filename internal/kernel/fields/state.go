package fields

// State is what a byte inherits from the bytes before it. The zero State is that before the first
// byte of a file, and before any record.
//
// A quote opens a quoted field only as the first byte of a field. Anywhere else in a field without
// quotes it is out of place and means nothing, so a stray quote affects only its own record. The
// same holds after a closing quote that is followed by something other than a separator or another
// quote: the rest of that field is read as if it had no quotes.
type State uint8

// The states.
const (
	AtField     State = iota // a field begins
	InField                  // in a field without quotes, or after bytes that are out of place
	InQuotes                 // in a quoted field
	AfterQuote               // after a closing quote, unless the next byte shows it to be the first of two
	AfterReturn              // after a carriage return that follows a closing quote
	States      = int(AfterReturn) + 1
)

// Next defines the dialect: it returns the state after b, and whether b is out of place. If the
// state after it is AtField, a line feed ends a record, and a delimiter a field.
func (d Dialect) Next(s State, b byte) (next State, bad bool) {
	return s.after(d.kind(b))
}

// kind is what a byte can mean.
type kind uint8

const (
	other kind = iota
	separator
	feed
	quote
	carriage
)

func (d Dialect) kind(b byte) kind {
	switch {
	case d.Quoted && b == d.Quote:
		return quote
	case b == '\n':
		return feed
	case b == d.Delim:
		return separator
	case b == '\r':
		return carriage
	}
	return other
}

// after returns the state after a byte of kind k, and whether the byte is out of place.
func (s State) after(k kind) (next State, bad bool) {
	switch {
	case s == InQuotes && k == quote:
		return AfterQuote, false
	case s == InQuotes:
		return InQuotes, false
	case k == quote && (s == AtField || s == AfterQuote):
		return InQuotes, false
	case k == quote:
		return InField, true
	case k == feed:
		return AtField, false
	case k == separator:
		return AtField, s == AfterReturn
	case k == carriage && s == AfterQuote:
		return AfterReturn, false
	}
	return InField, s == AfterQuote || s == AfterReturn
}
