package run

import (
	"bytes"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// binaryFormats are formats that are often mistaken for tables, by their first bytes. No text
// begins like that.
var binaryFormats = []struct{ begin, is, do string }{
	{"PAR1\x15", "a Parquet file", "duckdb and others make CSV of it; thresh.Raw reads it as it is"},
	{"ARROW1\x00\x00", "an Arrow file", "duckdb and others make CSV of it; thresh.Raw reads it as it is"},
}

// checkFormat returns an error if an input is clearly not delimited text.
func (t *tableRun) checkFormat(in *Input, span source.Range, head []byte) error {
	if t.raw || span.Off > 0 {
		return nil
	}
	if isUTF16(head) {
		return &failure.NotTextError{Name: in.Name(), Is: "UTF-16", Do: "pass it through iconv -f UTF-16 -t UTF-8"}
	}
	for _, f := range binaryFormats {
		if bytes.HasPrefix(head, []byte(f.begin)) {
			return &failure.NotTextError{Name: in.Name(), Is: f.is, Do: f.do}
		}
	}
	return nil
}

// isUTF16 reports whether text begins with a byte-order mark of UTF-16 and an ASCII letter.
func isUTF16(head []byte) bool {
	return len(head) >= 4 && (head[0] == 0xff && head[1] == 0xfe && head[2] > 0 && head[3] == 0 ||
		head[0] == 0xfe && head[1] == 0xff && head[2] == 0 && head[3] > 0)
}
