package fields

// State is what the bytes before a place say about the byte there. The zero State is that
// before a file's first byte, and before any record.
//
// A quote opens a quoted field only as the field's first byte. Anywhere else in a field
// without quotes it is out of place and means nothing: so a stray quote costs its own record
// and no other. The same holds behind a closing quote that something else than a separator
// or another quote follows: the rest of that field is read as if it had no quotes.
type State uint8

// The states.
const (
	AtField     State = iota // a field begins
	InField                  // in a field without quotes, or behind bytes that are out of place
	InQuotes                 // in a quoted field
	AfterQuote               // a closing quote, unless the next byte shows that it is the first of two
	AfterReturn              // a carriage return behind a closing quote
	States      = int(AfterReturn) + 1
)

// Next defines the dialect: the state behind b, and whether b is out of place. A line feed
// ends a record, and a delimiter a field, where the state behind it is AtField.
func (d Dialect) Next(s State, b byte) (next State, bad bool) {
	return s.behind(d.kind(b))
}

// kind is what a byte may mean.
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

// behind returns the state behind a byte of a kind, and whether it is out of place.
func (s State) behind(k kind) (next State, bad bool) {
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
