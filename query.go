package thresh

import (
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/regex"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/question"
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

// Any looks for any of the literals, in one pass however many there are. If several match at one
// place, the first in the list counts, texts before bytes in hexadecimal; of overlapping occurrences
// the first counts. No literals, an empty one, or one that cannot be read is a *failure.QueryError.
func Any(l question.Literals) (*Query, error) {
	q, err := run.Any(l)
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

// ValueTypes returns the names of all types, without a byte order, which is "le" or "be" at the
// end.
func ValueTypes() []string { return compare.TypeNames() }

// ParseValueType returns the type with this name: a constant of package question, or a usual other name, such as
// int32, half, bfloat16, double or float8_e4m3fn, then optionally le or be. The case of letters,
// hyphens and underscores have no meaning. An unknown name is a *failure.QueryError that suggests a similar
// one.
func ParseValueType(name string) (question.ValueType, error) {
	t, err := compare.ParseType(name)
	if err != nil {
		return "", &failure.QueryError{Text: name, Off: -1, Err: err}
	}
	return question.ValueType(t.String()), nil
}

// Values looks for the values of a column that meet its conditions; there must be one at least. A hit
// is as long as the type. An unknown type is a *failure.QueryError.
func Values(c question.Values) (*Query, error) {
	q, err := run.Values(c)
	return newQuery("", q, err)
}

// Statistics counts the values of a column and finds their minimum, maximum, sum and mean, for
// Report.Stats. Sums are exact; those of floats are rounded once, at the end, so that they do not
// depend on the order of the additions.
func Statistics(c question.Values) (*Query, error) {
	q, err := run.Statistics(c)
	return newQuery("", q, err)
}

// Histogram counts the values of a column in bins, for Report.Histogram. There are at most 2^20 bins
// between the lowest and the highest value; Count returns an error if the values need more.
func Histogram(c question.Values, b question.Bins) (*Query, error) {
	q, err := run.Histogram(c, b)
	return newQuery("", q, err)
}
