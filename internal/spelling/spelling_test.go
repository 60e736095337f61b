package spelling

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"amuont", "amount", 1}, {"ca", "abc", 3},
		{"count", "cout", 1}, {"ab", "ba", 1}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%q %q: got %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("%q %q: got %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
