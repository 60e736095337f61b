package thresh

import (
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/regex"
	"github.com/thresh-dev/thresh/internal/run"
)

// Query says what to find or count. It is immutable and safe for concurrent use. A call with the
// zero Query returns failure.ErrNoQuery.
type Query struct{ q *run.Query }

// newQuery returns a query, or the *failure.QueryError for its text.
func newQuery(text string, q *run.Query, err error) (*Query, error) {
	if err == nil {
		return &Query{q}, nil
	}
	e := &failure.QueryError{Text: text, Off: -1, Err: err}
	if wrong := (*regex.Error)(nil); errors.As(err, &wrong) {
		e.Text, e.Off = wrong.Expr, wrong.Offset
	}
	return nil, e
}

func (q *Query) use() (*run.Query, error) {
	if q == nil || q.q == nil {
		return nil, failure.ErrNoQuery
	}
	return q.q, nil
}

// Kernel returns the name of the inner loop that the query runs on this machine, with its instruction
// set; "" for the zero Query.
func (q *Query) Kernel() string {
	if q == nil || q.q == nil {
		return ""
	}
	return q.q.Kernel()
}

// NonZero looks for bytes that are not 0. Holes of sparse files are skipped.
func NonZero() *Query { return &Query{run.NonZero()} }

// LineCount counts line feeds, and one more for a last line that ends without one.
func LineCount() *Query { return &Query{run.Lines()} }

// WordCount counts words as wc does in a UTF-8 locale: runs of printable characters between white space.
// Control characters, code points without a character, and bytes that are not UTF-8 neither separate
// words nor are words.
func WordCount() *Query { return &Query{run.Words()} }

// CharCount counts characters as wc does in a UTF-8 locale: code points encoded as UTF-8, line feeds too.
// Bytes that are not UTF-8 are not characters.
func CharCount() *Query { return &Query{run.Chars()} }

// TextSize counts what LineCount, WordCount and CharCount do, in one pass, for Report.Text. Report.Hits is
// the number of lines.
func TextSize() *Query { return &Query{run.LinesWordsChars()} }

// Rows counts the records of text with delimiters and double quotes, as RFC 4180 defines them: a line
// feed in a quoted field does not end a record. A quote that does not begin a field has no meaning.
// Empty lines are records, and so is a last record without a line feed. A byte-order mark at the
// beginning is not part of the first field. A quote, CR or line feed as delimiter is a *failure.QueryError.
func Rows(delim byte) (*Query, error) {
	if strings.IndexByte("\"\r\n", delim) >= 0 {
		return nil, &failure.QueryError{Text: string(rune(delim)), Err: fmt.Errorf("a delimiter cannot be %q", delim)}
	}
	return &Query{run.Rows(delim)}, nil
}

// Text looks for the bytes of s. Of overlapping occurrences the first counts. An empty s is a
// *failure.QueryError.
func Text(s string) (*Query, error) {
	q, err := run.Text(s)
	return newQuery(s, q, err)
}

// Hex looks for bytes written as hexadecimal digits. Spaces may stand between bytes, and a question
// mark is any digit: "7F 45 ?? B?". Anything else is a *failure.QueryError.
func Hex(s string) (*Query, error) {
	q, err := run.Hex(s)
	return newQuery(s, q, err)
}

// Literals are texts, and bytes in hexadecimal as Hex reads them.
type Literals struct {
	Texts []string
	Hex   []string
	// IgnoreCase ignores the case of letters, by Unicode's simple folding. The texts must then be
	// valid UTF-8, and Hex must be empty.
	IgnoreCase bool
}

// Any looks for any of the literals, in one pass however many there are. If several match at one
// place, the first in the list counts, texts before bytes in hexadecimal; of overlapping occurrences
// the first counts. No literals, an empty one, or one that cannot be read is a *failure.QueryError.
func Any(l Literals) (*Query, error) {
	q, err := run.Any(run.Literals(l))
	return newQuery("", q, err)
}

// Regexp looks for matches of any of the expressions, in the syntax of RE2, which is that of package
// regexp. Lines are searched one by one: no match spans a line feed, and ^ and $ are the ends of a
// line. If several expressions match at one place, the first in the list counts; of overlapping
// matches the first counts. An expression that cannot be compiled is a *failure.QueryError with the place.
func Regexp(exprs ...string) (*Query, error) {
	text := ""
	if len(exprs) == 1 {
		text = exprs[0]
	}
	q, err := run.Regexps(exprs)
	return newQuery(text, q, err)
}

// ValueType is the type of stored values: integers or floats of so many bits. The types without a
// byte order in their name are little-endian. Other usual names, such as int32 and bfloat16, mean the
// same types; ParseValueType returns the constant.
type ValueType string

// The value types.
const (
	Int8      ValueType = "i8"
	Uint8     ValueType = "u8"
	Int16     ValueType = "i16"
	Uint16    ValueType = "u16"
	Int32     ValueType = "i32"
	Uint32    ValueType = "u32"
	Int64     ValueType = "i64"
	Uint64    ValueType = "u64"
	Float32   ValueType = "f32"
	Float64   ValueType = "f64"
	Int16BE   ValueType = "i16be"
	Uint16BE  ValueType = "u16be"
	Int32BE   ValueType = "i32be"
	Uint32BE  ValueType = "u32be"
	Int64BE   ValueType = "i64be"
	Uint64BE  ValueType = "u64be"
	Float32BE ValueType = "f32be"
	Float64BE ValueType = "f64be"

	Float16    ValueType = "f16"
	BFloat16   ValueType = "bf16" // the upper half of a Float32
	Float16BE  ValueType = "f16be"
	BFloat16BE ValueType = "bf16be"
	Float8E4M3 ValueType = "f8e4m3" // without infinities, as e4m3fn of ml_dtypes; the largest is 448
	Float8E5M2 ValueType = "f8e5m2"
)

// ValueTypes returns the names of all types, without a byte order, which is "le" or "be" at the
// end.
func ValueTypes() []string { return compare.TypeNames() }

// ParseValueType returns the type with this name: a constant above, or a usual other name, such as
// int32, half, bfloat16, double or float8_e4m3fn, then optionally le or be. The case of letters,
// hyphens and underscores have no meaning. An unknown name is a *failure.QueryError that suggests a similar
// one.
func ParseValueType(name string) (ValueType, error) {
	t, err := compare.ParseType(name)
	if err != nil {
		return "", &failure.QueryError{Text: name, Off: -1, Err: err}
	}
	return ValueType(t.String()), nil
}

// Bytes returns the width of a value; 0 if there is no such type.
func (t ValueType) Bytes() int {
	known, err := compare.ParseType(string(t))
	if err != nil {
		return 0
	}
	return known.Width()
}

// Has reports whether a value of the type can ever meet IsNaN or IsInf: integers meet neither, and
// Float8E4M3 has no infinities. Of other comparisons it says true.
func (t ValueType) Has(o Op) bool {
	known, err := compare.ParseType(string(t))
	switch {
	case err != nil:
		return false
	case o == IsNaN:
		return known.Float()
	case o == IsInf:
		return known.HasInf()
	}
	return true
}

// Op is how a value is compared.
type Op uint8

// The comparisons. A NaN meets NotEqual and IsNaN only, as IEEE 754 says. IsNaN and IsInf are for
// floats and need no value; IsInf is met by either infinity.
const (
	Equal Op = iota
	NotEqual
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
	Between
	IsNaN
	IsInf
)

// String returns the comparison as it is written in formulas.
func (o Op) String() string { return compare.Op(o).String() }

// Condition compares a value with a constant, which is written as a person would: 10, -1, 0x7f,
// 1.5e3, inf.
type Condition struct {
	Op    Op
	Value string // the constant, for Between the lower bound; empty for IsNaN and IsInf
	High  string // the upper bound for Between, which includes both bounds; otherwise empty
}

// ValueColumn says which values a query is about.
type ValueColumn struct {
	Type ValueType
	// Stride is the distance in bytes between the starts of neighbouring values; 0 means that they are
	// packed. The first value starts at Options.Offset.
	Stride int64
	// Conditions must all be met, with one exception: several of Equal are alternatives, and a value
	// needs to meet one of them. So are several of Between, and IsNaN and IsInf. Conditions that no
	// value can meet together are a *failure.QueryError, as are constants that the type cannot hold.
	Conditions []Condition
}

func (c ValueColumn) run() run.ValueColumn {
	column := run.ValueColumn{Type: string(c.Type), Stride: c.Stride}
	for _, k := range c.Conditions {
		column.Conditions = append(column.Conditions, run.Condition{Op: run.Op(k.Op), Value: k.Value, High: k.High})
	}
	return column
}

// Values looks for the values of a column that meet its conditions; there must be one at least. A hit
// is as long as the type. An unknown type is a *failure.QueryError.
func Values(c ValueColumn) (*Query, error) {
	q, err := run.Values(c.run())
	return newQuery("", q, err)
}

// Statistics counts the values of a column and finds their minimum, maximum, sum and mean, for
// Report.Stats. Sums are exact; those of floats are rounded once, at the end, so that they do not
// depend on the order of the additions.
func Statistics(c ValueColumn) (*Query, error) {
	q, err := run.Statistics(c.run())
	return newQuery("", q, err)
}

// Bins says how a histogram divides values, by Width or by Number. Numbers are written as in a
// Condition. The zero value gives each value its own bin, for integers of 8 and 16 bits only.
type Bins struct {
	// Width is the width of a bin. One edge lies at 0, so that bin k holds k*Width <= v < (k+1)*Width.
	Width string
	// Number divides the range from Low to High, which must both be set, into this many bins. The width
	// of integer bins is rounded up to an integer, so there may be fewer. The last bin of floats
	// includes High.
	Number int
	// Low and High are the lowest and the highest value that have a bin; empty means no limit.
	Low, High string
}

// Histogram counts the values of a column in bins, for Report.Histogram. There are at most 2^20 bins
// between the lowest and the highest value; Count returns an error if the values need more.
func Histogram(c ValueColumn, b Bins) (*Query, error) {
	q, err := run.Histogram(c.run(), run.Division{Width: b.Width, Bins: b.Number, Low: b.Low, High: b.High})
	return newQuery("", q, err)
}
