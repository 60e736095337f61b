package run

import (
	"bytes"
	"fmt"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// ForeignError tells that an input is no delimited text.
type ForeignError struct {
	Name string
	What string // it is
	Then string // what to do
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s is %s, no delimited text", e.Name, e.What)
}
func (e *ForeignError) Hint() string { return e.Then }

// foreigners are the formats that are often taken for tables, by what they begin with. Text
// does not begin so.
var foreigners = []struct{ begin, what, then string }{
	{"PAR1\x15", "a Parquet file", "duckdb and others make CSV of it"},
	{"ARROW1\x00\x00", "an Arrow file", "duckdb and others make CSV of it"},
}

// foreign returns an error where an input is clearly no delimited text; nobody wants the
// answers about that.
func (t *tabling) foreign(in *Input, span source.Range, head []byte) error {
	if t.raw || span.Off > 0 {
		return nil
	}
	if isUTF16(head) {
		return &ForeignError{in.Name(), "UTF-16", "pass it through iconv -f UTF-16 -t UTF-8"}
	}
	for _, f := range foreigners {
		if !bytes.HasPrefix(head, []byte(f.begin)) {
			continue
		}
		return &ForeignError{in.Name(), f.what, f.then + "; --no-decompress reads it as it is"}
	}
	return nil
}

// isUTF16 reports whether text begins with a byte-order mark of UTF-16 and an ASCII letter.
func isUTF16(head []byte) bool {
	return len(head) >= 4 && (head[0] == 0xff && head[1] == 0xfe && head[2] > 0 && head[3] == 0 ||
		head[0] == 0xfe && head[1] == 0xff && head[2] == 0 && head[3] > 0)
}
