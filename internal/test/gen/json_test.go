package gen

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONIsValidAndFits(t *testing.T) {
	const size = 300_000
	for _, make := range []struct {
		name  string
		write func(*bytes.Buffer, uint64) error
		lines bool
	}{
		{"pretty", func(b *bytes.Buffer, seed uint64) error { return JSON(b, size, seed) }, false},
		{"lines", func(b *bytes.Buffer, seed uint64) error { return NDJSON(b, size, seed) }, true},
	} {
		var a, again, other bytes.Buffer
		for to, seed := range map[*bytes.Buffer]uint64{&a: 1, &again: 1, &other: 2} {
			if err := make.write(to, seed); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(a.Bytes(), again.Bytes()) || bytes.Equal(a.Bytes(), other.Bytes()) {
			t.Errorf("%s: equal seeds must give equal texts, different seeds different ones", make.name)
		}
		if a.Len() > size || a.Len() < size-4000 {
			t.Errorf("%s: %d bytes, want about %d", make.name, a.Len(), size)
		}
		texts := [][]byte{a.Bytes()}
		if make.lines {
			texts = bytes.Split(bytes.TrimSuffix(a.Bytes(), []byte("\n")), []byte("\n"))
		}
		for _, text := range texts {
			if !json.Valid(text) {
				t.Fatalf("%s: not JSON: %.200q", make.name, text)
			}
		}
		for _, has := range []string{`\"`, `\\`, `\n`, "李", "e+", "null"} {
			if !strings.Contains(a.String(), has) {
				t.Errorf("%s: no %s in the text", make.name, has)
			}
		}
	}
}

// A size too small for an order still gives a valid document.
func TestJSONOfNothing(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, 0, 1); err != nil || !json.Valid(b.Bytes()) {
		t.Errorf("got %q, %v", b.Bytes(), err)
	}
}
