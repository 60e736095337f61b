package sql

import "strings"

// words say how a statement says what texts about questions name by fields of the library.
var words = strings.NewReplacer(
	"Dialect.Blanks", "delim = ' +'",
	"Dialect.Comment", "comment",
	"Dialect.Header", "header = true",
	"Dialect.JSON", "read_json",
	"Dialect.NoHeader", "header = false",
	"Dialect.Nulls", "nullstr",
	"Dialect.Quote must be none", "quote must be ''",
	"Dialect.Quote none", "quote = ''",
	"Dialect.Quote", "quote",
	"Dialect.Separator", "delim",
	"Dialect.SkipLines", "skip",
	"Dialect.Widths", "widths",
	"Groups.Aggregates", "select",
	"Groups.Having", "having",
	"Groups.Keys", "group by",
	"Groups.Limit", "limit",
	"Groups.OrderBy", "order by",
	"Select.OrderBy", "order by",
	"TableSpec.Where", "where",
	"thresh.Select", "select",
)

// inWords is an error in the words of a statement.
type inWords struct {
	error
	text string
}

func (e *inWords) Error() string { return e.text }
func (e *inWords) Unwrap() error { return e.error }

// InWords returns an error of a question in the words of a statement.
func InWords(err error) error {
	if err != nil {
		if text := words.Replace(err.Error()); text != err.Error() {
			return &inWords{err, text}
		}
	}
	return err
}
