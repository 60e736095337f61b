package threshold

import "testing"

func TestShrink(t *testing.T) {
	a, b := New("test: a", 1000, 2), NewMultiple("test: b", 64, 16, 8)
	for _, test := range []struct{ n, a, b int }{{1, 2, 16}, {3, 3, 16}, {17, 17, 24}, {64, 64, 64}} {
		t.Run("", func(t *testing.T) {
			Shrink(t, test.n)
			if a.Get() != test.a || b.Get() != test.b {
				t.Errorf("shrunk to %d: %d and %d, want %d and %d", test.n, a.Get(), b.Get(), test.a, test.b)
			}
		})
	}
	if a.Get() != a.Real() || b.Get() != 64 {
		t.Errorf("after the test: %d and %d", a.Get(), b.Get())
	}
}

func TestNames(t *testing.T) {
	for i, s := range All() {
		if i > 0 && All()[i-1].Name() >= s.Name() {
			t.Errorf("%q and %q", All()[i-1].Name(), s.Name())
		}
	}
}

func TestImpossibleRows(t *testing.T) {
	for _, f := range []func(){
		func() { New("least of 0", 8, 0) },
		func() { New("real below least", 8, 9) },
		func() { NewMultiple("not a multiple", 12, 8, 8) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}
