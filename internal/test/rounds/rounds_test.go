package rounds

import "testing"

func TestRounds(t *testing.T) {
	for _, c := range []struct {
		set       string
		of, every int
	}{{"", 15, 8}, {"1", 15, 8}, {"4", 60, 2}, {"9", 135, 1}, {"20", 300, 1}} {
		t.Setenv(variable, c.set)
		of, every := c.of, c.every
		if testing.Short() { // the variable does not matter then
			of, every = 30/shortPart, 8*(shortPart-1)
		}
		if got := Of(30); got != of {
			t.Errorf("%q: %d cases, want %d", c.set, got, of)
		}
		if got := Every(8); got != every {
			t.Errorf("%q: each %dth case, want each %dth", c.set, got, every)
		}
	}
	if got := Of(1); got != 10 && got != 1 {
		t.Errorf("%d of one case", got)
	}
	for _, bad := range []string{"all", "0", "-1", "9999999999"} {
		t.Setenv(variable, bad)
		if !panics() {
			t.Errorf("%q is taken for a number", bad)
		}
	}
}

func panics() (did bool) {
	defer func() { did = recover() != nil }()
	factor()
	return false
}
