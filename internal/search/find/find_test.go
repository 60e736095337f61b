package find

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/question"
)

func TestTrailing(t *testing.T) {
	for _, test := range []struct{ width, stride, n, want int64 }{
		{0, 0, 10, 0}, // no typed values
		{4, 4, 0, 0},
		{4, 4, 3, 3},
		{4, 4, 4, 0},
		{4, 4, 11, 3},
		{8, 4, 13, 1}, // values that overlap
		{4, 10, 17, 0},
	} {
		s := scan.Traits{Width: test.width, Stride: test.stride}
		if got := s.Trailing(test.n); got != test.want {
			t.Errorf("%d-byte values every %d in %d bytes leave %d, want %d", test.width, test.stride, test.n, got, test.want)
		}
	}
}

// TestSpeedSearchesTheWholeSample checks that Speed does not stop at a hit, which would make the
// kernel look faster than it is.
func TestSpeedSearchesTheWholeSample(t *testing.T) {
	text, err := Text("INFO")
	if err != nil {
		t.Fatal(err)
	}
	expr, err := Regexp("[0-9]+ ms")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Selector{NonZero(), text, expr} {
		b := s.Sample(100_000)
		if len(b) != 100_000 {
			t.Errorf("%s: a sample of %d bytes", s.Kernel, len(b))
		}
		s.Speed(b)
	}
}

// TestIgnoreCaseOfHex: not even one value of bytes has a case.
func TestIgnoreCaseOfHex(t *testing.T) {
	_, err := Any(question.Literals{Texts: []string{"a"}, Hex: []string{"61"}, IgnoreCase: true})
	if err == nil || err.Error() != "case can be ignored in texts, but not in hexadecimal bytes" {
		t.Error(err)
	}
}
