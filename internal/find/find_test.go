package find

import (
	"math"
	"regexp/syntax"
	"testing"

	"github.com/thresh-dev/thresh/internal/scan"
)

func TestSyntax(t *testing.T) {
	for _, test := range []struct {
		expr    string
		max     int
		asserts bool
	}{
		{"abc", 12, false},
		{"a[bc]d?", 12, false},
		{"a{3,5}", 20, false},
		{"(ab|c){2}", 16, false},
		{"a*", math.MaxInt, false},
		{"x(a+)y", math.MaxInt, false},
		{"a{2,}", math.MaxInt, false},
		{"(a{1000}){1000}"[:9], 4000, false},
		{"()*", 0, false},
		{"^a", 4, true},
		{"a$", 4, true},
		{`\bab`, 8, true},
		{`(a|\B)`, 4, true},
	} {
		tree, err := syntax.Parse(test.expr, syntax.Perl)
		if err != nil {
			t.Fatalf("%s: %v", test.expr, err)
		}
		if got := lengthMax(tree); got != test.max {
			t.Errorf("the longest match of %s has %d bytes, want %d", test.expr, got, test.max)
		}
		if got := hasAssertions(tree); got != test.asserts {
			t.Errorf("%s has assertions: %v", test.expr, got)
		}
	}
}

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

// TestSpeedGoesThroughTheSample: a kernel that is measured must not stop at a hit.
func TestSpeedGoesThroughTheSample(t *testing.T) {
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
