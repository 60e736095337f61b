package value

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"testing"
	"time"
)

// TestCompare holds the order of times to that of package time.
func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 20))
	layouts := []string{time.DateOnly, "2006-01-02T15:04Z07:00", time.RFC3339, "2006-01-02 15:04:05.000Z07:00", time.RFC3339Nano}
	random := func() (text string, at time.Time) {
		layout := layouts[r.IntN(len(layouts))]
		zone := time.FixedZone("", (r.IntN(1440)-720)*60)
		base := []int64{-62000000000, 0, 951782400, 1800000000}[r.IntN(4)]
		text = time.Unix(base+r.Int64N(200_000), r.Int64N(4)*250_000_000).In(zone).Format(layout)
		at, err := time.Parse(layout, text)
		if err != nil {
			t.Fatal(err)
		}
		return text, at
	}
	for range 20_000 {
		x, a := random()
		y, b := random()
		u, ok := ParseTime([]byte(x))
		v, ok2 := ParseTime([]byte(y))
		if !ok || !ok2 || u.Compare(v) != a.Compare(b) {
			t.Fatalf("%s and %s: got %v %v %d, want %d", x, y, ok, ok2, u.Compare(v), a.Compare(b))
		}
	}
}

// TestUsualTime holds the two ways of reading a time together, over texts that are nearly times.
func TestUsualTime(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 11))
	usual := 0
	for range 200_000 {
		text := []byte([]string{"2026-11-23", "2024-02-29T10:35:07", "1999-12-31 23:59:60", "0000-01-01", "2023-02-28 00:00:00"}[r.IntN(5)])
		for range r.IntN(3) {
			text[r.IntN(len(text))] = "0123456789-:T t+Z."[r.IntN(18)]
		}
		want, ok := anyTime(text)
		got, same := usualTime(text)
		if same {
			usual++
		}
		if parsed, parsedOK := ParseTime(text); same && (!ok || got.Compare(want) != 0 || got.clock != want.clock) || parsedOK != ok ||
			ok && string(parsed.AppendText(nil)) != string(want.AppendText(nil)) {
			t.Fatalf("%q: got %v %v, want %v %v", text, got, same, want, ok)
		}
	}
	if usual < 10_000 {
		t.Errorf("only %d texts were usual", usual)
	}
}

// TestCompareTimes: times that are compared as bytes compare as what they say, and other texts byte by byte.
func TestCompareTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 12))
	random := func() []byte {
		text := []byte([]string{"2026-11-23", "2026-11-23T10:35:07", "2026-11-23 10:35:60", "2026-11-23T10:35+01", "2026-11-23 10:36:00",
			" 2026-11-23T10:35Z", "2026-11-23T10:35:07.5"}[r.IntN(7)])
		if r.IntN(2) == 0 {
			text[r.IntN(len(text))] = "0123456789-:T t+Z."[r.IntN(18)]
		}
		return text
	}
	alike := 0
	for range 300_000 {
		a, b := random(), random()
		x, ok := ParseTime(a)
		y, ok2 := ParseTime(b)
		want := bytes.Compare(a, b)
		if ok && ok2 {
			want = x.Compare(y)
		}
		if CompareTexts(a, b) != want {
			t.Fatalf("as texts, %q and %q: %d, want %d", a, b, CompareTexts(a, b), want)
		}
		if !ok || !ok2 {
			continue
		}
		if want := cmp.Or(x.Compare(y), bytes.Compare(a, b)); CompareTimes(a, b) != want {
			t.Fatalf("%q and %q: %d, want %d", a, b, CompareTimes(a, b), want)
		}
		if areAlike(a, b) {
			alike++
		}
	}
	if alike < 10_000 {
		t.Errorf("only %d pairs were compared as bytes", alike)
	}
}
