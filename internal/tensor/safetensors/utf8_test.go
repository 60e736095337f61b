package safetensors

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"testing/iotest"
)

// TestNotUTF8: a header with bytes that are not UTF-8 is refused at their place, whatever the reads are cut into.
func TestNotUTF8(t *testing.T) {
	for _, test := range []struct {
		name string
		at   string // "" if it is UTF-8
	}{
		{"aé\U0001f600", ""}, {"a\xff", "at byte 11"}, {"é\xe2\x82", "at byte 12"}, {"\xc3", "at byte 10"},
	} {
		header := `{"` + test.name + `":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`
		file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+"x"...)
		_, err := Read(bytes.NewReader(file), int64(len(file)))
		if (err == nil) != (test.at == "") || err != nil && !strings.Contains(err.Error(), test.at+": it is not UTF-8") {
			t.Errorf("%q: %v", test.name, err)
		}
		u := &utf8Reader{r: iotest.OneByteReader(strings.NewReader(header)), off: 8}
		p := make([]byte, 1)
		for readErr := error(nil); readErr == nil; {
			_, readErr = u.Read(p)
		}
		if (u.err == nil) != (test.at == "") {
			t.Errorf("%q, byte by byte: %v", test.name, u.err)
		}
	}
}
