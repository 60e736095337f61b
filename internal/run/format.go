package run

import (
	"bytes"
	"fmt"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// NotTextError reports that an input is not delimited text.
type NotTextError struct {
	Name string
	Is   string // what it is, for people: "a Parquet file"
	Do   string // what to do about it
}

func (e *NotTextError) Error() string {
	return fmt.Sprintf("%s is %s, no delimited text", e.Name, e.Is)
}

// Hint says what to do.
func (e *NotTextError) Hint() string { return e.Do }

// binaryFormats are formats that are often mistaken for tables, by their first bytes. No text
// begins like that.
var binaryFormats = []struct{ begin, is, do string }{
	{"PAR1\x15", "a Parquet file", "duckdb and others make CSV of it"},
	{"ARROW1\x00\x00", "an Arrow file", "duckdb and others make CSV of it"},
}

// checkFormat returns an error if an input is clearly not delimited text.
func (t *tableRun) checkFormat(in *Input, span source.Range, head []byte) error {
	if t.raw || span.Off > 0 {
		return nil
	}
	if isUTF16(head) {
		return &NotTextError{in.Name(), "UTF-16", "pass it through iconv -f UTF-16 -t UTF-8"}
	}
	for _, f := range binaryFormats {
		if bytes.HasPrefix(head, []byte(f.begin)) {
			return &NotTextError{in.Name(), f.is, f.do + "; --no-decompress reads it as it is"}
		}
	}
	return nil
}

// isUTF16 reports whether text begins with a byte-order mark of UTF-16 and an ASCII letter.
func isUTF16(head []byte) bool {
	return len(head) >= 4 && (head[0] == 0xff && head[1] == 0xfe && head[2] > 0 && head[3] == 0 ||
		head[0] == 0xfe && head[1] == 0xff && head[2] == 0 && head[3] > 0)
}
