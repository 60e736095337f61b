package tabletest

import (
	"bytes"
	stdcsv "encoding/csv"
	"slices"
	"strings"
	"testing"
)

// standard reads a file with encoding/csv, where it sees a table as the twin does.
// testdata/differences.md has what is taken out here.
func standard(d Dialect, file []byte) (records [][]string, comparable bool, err error) {
	if d.Quote != '"' || d.Delim == 0 || d.Delim >= 0x80 {
		return nil, false, nil
	}
	file = bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	r := stdcsv.NewReader(bytes.NewReader(file))
	r.Comma = rune(d.Delim)
	records, err = r.ReadAll()
	return records, true, err
}

// TestStandardLibrary holds the twin to encoding/csv: both accept the same files and read
// the same fields in them.
func TestStandardLibrary(t *testing.T) {
	cases := Corpus()
	for seed := range uint64(4000) {
		cases = append(cases, Random(seed))
	}
	accepted, refused := 0, 0
	for _, c := range cases {
		q := Question{Dialect: Dialect{Delim: c.Question.Delim, Quote: c.Question.Quote}}
		for _, file := range c.Files {
			want, comparable, wantErr := standard(q.Dialect, file)
			if !comparable {
				continue
			}
			var result Result
			got, err := q.read([][]byte{file}, &result)
			for _, fields := range got {
				for i, field := range fields {
					fields[i] = textOrEmpty(field)
				}
			}
			if (err == nil) != (wantErr == nil) {
				t.Errorf("%s: %q: the twin says %v, encoding/csv %v", c.Name, brief(file), err, wantErr)
				continue
			}
			if err != nil {
				refused++
				continue
			}
			accepted++
			if q.Columns([][]byte{file}) == 1 { // encoding/csv skips empty lines here too
				got = slices.DeleteFunc(got, func(fields []string) bool { return fields[0] == "" })
				want = slices.DeleteFunc(want, func(fields []string) bool { return fields[0] == "" })
			}
			for _, fields := range got { // encoding/csv makes CRLF in quotes a line feed
				for i := range fields {
					fields[i] = strings.ReplaceAll(fields[i], "\r\n", "\n")
				}
			}
			if !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%s: %q: the twin reads %.300q, encoding/csv %.300q", c.Name, brief(file), got, want)
			}
		}
	}
	if accepted < 1000 || refused < 500 {
		t.Errorf("only %d files accepted and %d refused", accepted, refused)
	}
}

// brief is the beginning of a file.
func brief(file []byte) []byte { return file[:min(len(file), 200)] }

// textOrEmpty returns a field as readers have it that know no null.
func textOrEmpty(field string) string {
	if field == Null {
		return ""
	}
	return field
}
