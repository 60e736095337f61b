package thresh_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// difference compares in the most obvious way.
func difference(a, b []byte, o options.Compare) (c answer.Comparison, ranges []answer.Hit) {
	a, b = a[min(o.Offset, int64(len(a))):], b[min(o.Other, int64(len(b))):]
	if o.Length != nil {
		a, b = a[:min(*o.Length, int64(len(a)))], b[:min(*o.Length, int64(len(b)))]
	}
	n := min(len(a), len(b))
	c = answer.Comparison{First: -1, Compared: int64(n), Complete: true}
	for i := range n {
		if a[i] == b[i] {
			continue
		}
		off := o.Offset + int64(i)
		h := answer.Hit{Off: off, Len: 1}
		if o.BlockBytes > 1 {
			h.Off = max(off/o.BlockBytes*o.BlockBytes, o.Offset)
			h.Len = min((off/o.BlockBytes+1)*o.BlockBytes, o.Offset+int64(n)) - h.Off
		}
		last := len(ranges) - 1
		switch {
		case last >= 0 && h.Off+h.Len <= ranges[last].Off+ranges[last].Len:
		case last >= 0 && h.Off == ranges[last].Off+ranges[last].Len:
			ranges[last].Len += h.Len
		default:
			ranges = append(ranges, h)
		}
		if c.Different++; c.First < 0 {
			c.First = off
		}
	}
	c.Ranges = int64(len(ranges))
	if len(a) > n {
		c.Longer = 1
	} else if len(b) > n {
		c.Longer = 2
	}
	c.Equal = c.First < 0 && (c.Longer == 0 || c.Longer == 2 && o.Prefix)
	return c, ranges
}

// kinds opens content as each kind of input.
func kinds(t *testing.T, name string, content []byte) map[string]func() (*thresh.Input, error) {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]func() (*thresh.Input, error){
		"file":   func() (*thresh.Input, error) { return thresh.Open(path, thresh.Raw) },
		"memory": func() (*thresh.Input, error) { return thresh.FromBytes(content), nil },
		"readerat": func() (*thresh.Input, error) {
			return thresh.FromReaderAt(name, bytes.NewReader(content), int64(len(content)), thresh.Raw)
		},
		"stream": func() (*thresh.Input, error) { return thresh.FromReader(name, bytes.NewReader(content), thresh.Raw) },
	}
}

// TestCompare compares random pairs, as every kind of input by every engine, with a comparison byte by byte.
func TestCompare(t *testing.T) {
	threshold.Shrink(t, 64)
	random := rand.New(rand.NewPCG(1, 38))
	for round := range 400 {
		a, b, o := randomPair(random)
		ones, others := kinds(t, "a", a), kinds(t, "b", b)
		for one, openOne := range ones {
			for other, openOther := range others {
				o.Engine = []options.Engine{"auto", "auto", "pread", "mmap", "stream", "uring"}[random.IntN(6)]
				if one != "file" || other != "file" || len(a) == 0 || len(b) == 0 {
					o.Engine = "auto"
				}
				o.Workers, o.ChunkBytes = random.IntN(4), random.IntN(3)*random.IntN(300)
				x, err := openOne()
				if err != nil {
					t.Fatal(err)
				}
				y, err := openOther()
				if err != nil {
					t.Fatal(err)
				}
				compareBoth(t, fmt.Sprintf("round %d: %s and %s of %d and %d bytes, %+v", round, one, other, len(a), len(b), o), x, y, a, b, o)
				x.Close()
				y.Close()
			}
		}
	}
}

func compareBoth(t *testing.T, what string, x, y *thresh.Input, a, b []byte, o options.Compare) {
	t.Helper()
	want, wantRanges := difference(a, b, o)
	var ranges []answer.Hit
	got, err := thresh.Compare(t.Context(), x, y, o, func(hits []answer.Hit) error {
		ranges = append(ranges, hits...)
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if o.First {
		if got.First != want.First || got.Equal != want.Equal || got.First < 0 && got.Longer != want.Longer && !o.Prefix {
			t.Fatalf("%s: %+v, want %+v", what, got, want)
		}
		return
	}
	if o.Prefix && want.Longer == 2 { // whether it goes on is not asked
		got.Longer = 2
	}
	if !slices.Equal(ranges, wantRanges) {
		t.Fatalf("%s: ranges %v, want %v", what, ranges, wantRanges)
	}
	if got.First != want.First || got.Equal != want.Equal || got.Longer != want.Longer || got.Ranges != want.Ranges ||
		got.Different != want.Different || got.Compared != want.Compared || !got.Complete {
		t.Fatalf("%s: %+v, want %+v", what, got, want)
	}
}

// randomPair returns contents that differ in few places or many, with options.
func randomPair(random *rand.Rand) (a, b []byte, o options.Compare) {
	a = make([]byte, random.IntN(3)*random.IntN(700))
	for i := range a {
		a[i] = byte(random.IntN(3) * random.IntN(3))
	}
	shift := random.IntN(2) * random.IntN(20)
	b = append(make([]byte, shift), a...)
	for range random.IntN(5) {
		if len(b) == 0 {
			break
		}
		from := random.IntN(len(b))
		for i := from; i < min(from+1+random.IntN(2)*random.IntN(200), len(b)); i++ {
			b[i] = byte(random.IntN(4))
		}
	}
	switch random.IntN(4) {
	case 0:
		b = append(b, make([]byte, random.IntN(200))...)
	case 1:
		b = b[:random.IntN(len(b)+1)]
	}
	o.Other = int64(shift)
	if random.IntN(4) == 0 {
		o.Offset, o.Other = int64(random.IntN(100)), o.Other+int64(random.IntN(100))
	}
	if random.IntN(4) == 0 {
		n := int64(random.IntN(500))
		o.Length = &n
	}
	o.First, o.Prefix = random.IntN(3) == 0, random.IntN(4) == 0
	o.BlockBytes = int64(random.IntN(2) * random.IntN(100))
	return a, b, o
}
