package escape

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// TestAppend: what is appended is what the standard library reads back, for every ASCII character.
func TestAppend(t *testing.T) {
	text := "a\u00e9\u2028\U0001f600"
	for c := range rune(0x80) {
		text += string(c) + "xy"
	}
	var back string
	escaped, valid := Append(nil, []byte(text))
	if err := json.Unmarshal([]byte(`"`+string(escaped)+`"`), &back); err != nil || back != text || !valid {
		t.Errorf("got %q, %v, %v, want %q", back, err, valid, text)
	}
	for text, want := range map[string]string{"": "", "\n\r\t": `\n\r\t`, `"\`: `\"\\`, "\x00\x1f\x7f": `\u0000\u001f` + "\x7f",
		"\xc3": "\ufffd", "\xed\xa0\x80": `\ud800`, "a\xff\xfeb\ufffd": "a\ufffd\ufffdb\ufffd"} {
		if got, valid := Append([]byte("before"), []byte(text)); string(got) != "before"+want || valid != (utf8.ValidString(text) || text == "\xed\xa0\x80") {
			t.Errorf("%q: got %q, %v, want %q", text, got, valid, want)
		}
	}
}
