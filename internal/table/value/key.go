package value

import "bytes"

// The keys of groups are bytes that sort like the values they stand for.
//
// A key of one value is null if it is empty, and sorts last all the same: who reads keys in order keeps it to the
// end. Any other key is the value's text, except that a text of zero bytes only, also one of none at all, has one
// zero byte more. So nearly all keys are the bytes of their fields.
//
// A key of several values is one part after the other. A part ends with the bytes 0 partEnd, which sort before
// all others. A zero byte within a part is followed by partZero. Null is nullPart, which sorts after all texts but
// those that begin with the same bytes, and these are not UTF-8.
const (
	partEnd  = 0x00
	partZero = 0xff
)

// NullPart is the text before the end of a part that is null. No encoded text has a zero byte followed by 1.
const NullPart = "\xff\xff\xff\xff\x00\x01"

// AppendKey appends the key of one value.
func AppendKey(b []byte, v Value) []byte {
	text := v.Text()
	if !v.IsNull() && onlyZeros(text) {
		b = append(b, 0)
	}
	return append(b, text...)
}

// Key returns the text of a key of one value, nil if it is null.
func Key(key []byte) (text []byte) {
	switch {
	case len(key) == 0:
		return nil
	case key[0] == 0 && onlyZeros(key):
		return key[1:]
	}
	return key
}

func onlyZeros(text []byte) bool { return len(bytes.TrimLeft(text, "\x00")) == 0 }

// AppendPart appends a text as a part of a key.
func AppendPart(b, text []byte) []byte {
	for _, c := range text {
		if b = append(b, c); c == 0 {
			b = append(b, partZero)
		}
	}
	return append(b, 0, partEnd)
}

// AppendNullPart appends null as a part of a key.
func AppendNullPart(b []byte) []byte { return append(append(b, NullPart...), 0, partEnd) }

// CutPart removes the first part from a key of several, and appends its text to b. null reports whether it is null.
func CutPart(key, b []byte) (rest, out []byte, null bool) {
	from := len(b)
	for i := 0; i < len(key); i++ {
		if key[i] != 0 {
			b = append(b, key[i])
			continue
		}
		switch i++; key[i] {
		case partEnd:
			if null {
				b = b[:from]
			}
			return key[i+1:], b, null
		case partZero:
			b = append(b, 0)
		default:
			null = true
		}
	}
	panic("thresh: bug: a key of several parts that does not end")
}
