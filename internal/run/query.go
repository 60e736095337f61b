package run

import (
	"errors"

	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/histogram"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/search/count"
	"github.com/thresh-dev/thresh/internal/search/find"
)

// Query is what to look for, or to count. It is immutable and safe for concurrent use.
type Query struct {
	selector *find.Selector // nil for what can only be counted
	counter  *count.Counter
}

// ErrOnlyCounted is returned by Find for a query that has a number for an answer, and no
// places: Lines, Rows, Statistics and Histogram.
var ErrOnlyCounted = errors.New("this can be counted, and not be found")

// NonZero looks for the bytes that are not 0. Holes of sparse files are skipped.
func NonZero() *Query { return &Query{find.NonZero(), count.NonZero()} }

// Lines counts line feeds, and one more for a last line that ends without.
func Lines() *Query { return &Query{counter: count.Lines()} }

// Rows counts the records of CSV, as RowsDelimited does with commas.
func Rows() *Query { return RowsDelimited(',') }

// RowsDelimited counts the records of text with delimiters and double quotes (RFC 4180): a
// line feed in a quoted field does not end a record. A quote that does not begin a field is
// out of place and opens nothing. Empty lines are records, and so is a last one that ends
// without line feed. A byte-order mark at the beginning is no part of the first field.
func RowsDelimited(delim byte) *Query { return &Query{counter: count.Rows(delim)} }

// Text looks for the bytes of s, which must not be empty. Of occurrences that overlap the
// first counts.
func Text(s string) (*Query, error) { return query(find.Text(s)) }

// Hex looks for bytes written as hexadecimal digits, spaces allowed between bytes. A
// question mark stands for any digit: "7F 45 ?? B?". Errors name the column.
func Hex(s string) (*Query, error) { return query(find.Hex(s)) }

// Regexp looks for matches of an RE2 expression. Lines are searched one by one: no match
// spans a line feed, and ^ and $ stand for the edges of a line.
func Regexp(expr string) (*Query, error) { return query(find.Regexp(expr)) }

// Literals are texts, and bytes in hexadecimal, any of which fits.
type Literals = find.Literals

// AnyOf looks for literals in one pass, however many. Where several fit at one place, the
// one that was given first counts, texts before bytes in hexadecimal; of occurrences that
// overlap the first. Errors quote the literal.
func AnyOf(l Literals) (*Query, error) { return query(find.AnyOf(l)) }

// Texts is AnyOf for texts alone.
func Texts(texts ...string) (*Query, error) { return AnyOf(Literals{Texts: texts}) }

// Regexps looks for matches of any of some expressions, as Regexp does for one. Where several
// match at one place, the expression that was given first counts.
func Regexps(exprs ...string) (*Query, error) { return query(find.Regexps(exprs)) }

// Op is how a value is compared.
type Op = compare.Op

// The comparisons. NaN fits NotEqual and IsNaN only, as IEEE 754 says. IsInf fits either
// infinity.
const (
	Equal          = compare.Equal
	NotEqual       = compare.NotEqual
	Less           = compare.Less
	LessOrEqual    = compare.LessEqual
	Greater        = compare.Greater
	GreaterOrEqual = compare.GreaterEqual
	Between        = compare.Between
	IsNaN          = compare.NaN
	IsInf          = compare.Inf
)

// Condition is a comparison with a constant, written as a person would: 10, -1, 0x7f,
// 1.5e3, inf. High is the upper bound of Between, which includes both of its bounds.
type Condition = compare.Condition

// Values looks for values of a type that meet the conditions. Several of Equal are
// alternatives, of which a value meets any; so are several of Between, and IsNaN and IsInf.
// All others must hold. Conditions that no value can meet together are an error. The type is one of i8 u8
// i16 u16 i32 u32 i64 u64 f32 f64, followed by le (the default) or be. Values lie every
// stride bytes from the start of the range; 0 means back to back.
func Values(typeName string, stride int64, conditions ...Condition) (*Query, error) {
	return query(find.Values(typeName, conditions, stride))
}

// Statistics counts the values of a type that meet all conditions, of which there may be
// none, and finds their least, greatest, sum and mean. They lie as those of Values. Sums are
// exact, those of floats rounded once, at the end: they depend on nothing but the values.
func Statistics(typeName string, stride int64, conditions ...Condition) (*Query, error) {
	t, err := compare.ParseType(typeName)
	if err != nil {
		return nil, err
	}
	c, err := count.Statistics(count.Column{Type: t, Stride: stride, Conditions: conditions})
	if err != nil {
		return nil, err
	}
	return &Query{counter: c}, nil
}

// Division says into which bins a histogram divides values. Numbers are written as those of
// a Condition. Bytes and values of 16 bits need none: each value has its own bin.
type Division struct {
	// Width is that of a bin. An edge lies at 0, so that bin k holds k*Width <= v < (k+1)*Width.
	Width string
	// Bins divides the values from Low to High, which it needs. The width of integer bins is
	// a whole number, so that fewer may do. The last bin of floats holds High too.
	Bins int
	// Low and High are the lowest and the highest value that have a bin; empty means no limit.
	Low, High string
}

// Histogram counts the values of a type that meet all conditions, of which there may be
// none, and how many lie in each bin. They lie as those of Values.
//
// At most 2^20 bins lie between the lowest and the highest value; Count fails when they do
// not suffice.
func Histogram(typeName string, stride int64, d Division, conditions ...Condition) (*Query, error) {
	t, err := compare.ParseType(typeName)
	if err != nil {
		return nil, err
	}
	c, err := count.Histogram(count.Column{Type: t, Stride: stride, Conditions: conditions},
		histogram.Spec{Width: d.Width, Bins: d.Bins, Low: d.Low, High: d.High})
	if err != nil {
		return nil, err
	}
	return &Query{counter: c}, nil
}

func query(s *find.Selector, err error) (*Query, error) {
	if err != nil {
		return nil, err
	}
	return &Query{s, count.Matches(s)}, nil
}

// Kernel names the kernel that the query runs on this machine, and its instruction set.
func (q *Query) Kernel() string { return q.traits().Kernel }

// traits returns what planning must know, for finding where both are possible.
func (q *Query) traits() *scan.Traits {
	if q.selector != nil {
		return &q.selector.Traits
	}
	return &q.counter.Traits
}
