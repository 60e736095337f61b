package options

// Dialect is how a table is written. The zero Dialect is rarely useful: fields are separated by NUL bytes.
type Dialect struct {
	Delim byte // between fields
	// Separator, Blanks and Widths are other ways to tell fields apart, of which one may be set instead of Delim. Then,
	// and with a Comment, each line is a record: a field in quotes has no line feed in it.
	Separator string // several bytes between fields
	Blanks    bool   // fields lie between runs of spaces and tabs; those around a line do not matter
	// Widths are how many characters fields have, 0 in the last place for the rest of the line. Blanks around a field are
	// not part of it, and a shorter line has null in the last ones. Quote must be 0.
	Widths []int
	// Comment begins lines that are no records, perhaps after blanks; "" for no such lines. Anywhere else it is text.
	Comment string
	// Quote is around fields that hold delimiters, quotes or line feeds, and around empty texts: an empty field
	// without quotes is null. 0 means that there are no quotes.
	Quote byte
	// Header says that the first record of each input names the columns, and NoHeader that it is a record like the
	// others. If neither is set, it names the columns if a question, or the filter, names one.
	Header, NoHeader bool
	// Names are the names of the columns, in their order. They replace those of the header, if there is one. Columns for
	// which there is no name keep that of the header, or have the number of the column.
	Names []string
	// JSON says that each line is an object of JSON. A column is then a path, like user.country or items.0.id,
	// and the other fields must be zero. A value that is null or missing is null, and "" is an empty text.
	JSON bool
	// Nulls are texts that mean null besides the empty field, such as NA: fields without quotes that are one of them,
	// byte by byte. A field in quotes is a text.
	Nulls []string
	// Numbers is how numbers are written: "de" 1.234.567,89, "fr" 1 234 567,89, "ch" 1'234'567.89, "en" 1,234,567.89.
	// Such a field is that number, exactly, in aggregates, conditions, orders and expressions; records and keys are
	// printed as they are written. A sign of a currency may be before or after it, a minus sign too; parentheses are a
	// minus sign, and with a percent sign it is a hundredth. "1.5" is no number in "de". "" is plain numbers, 1234567.89.
	Numbers string
	// SkipLines is how many lines at the beginning of each input are left out, whatever is in them: neither the header
	// nor records.
	SkipLines int64
}

// Malformed says what happens to records that have more or fewer fields than the first, or quotes out of place.
type Malformed uint8

// MalformedFail ends the run at the first malformed record with a *failure.Problem, MalformedSkip leaves such records
// out, and MalformedKeep takes them as they are: missing fields are null, and additional ones are ignored.
const (
	MalformedFail Malformed = iota
	MalformedSkip
	MalformedKeep
)
