package httpsem

import (
	"math/big"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestParseRanges(t *testing.T) {
	const huge = "99999999999999999999999999"
	for _, c := range []struct {
		field   string
		verdict Verdict
		want    []Range
	}{
		// one range of 26 bytes
		{"bytes=0-8", Satisfiable, []Range{{0, 9}}},
		{"bytes=0-0", Satisfiable, []Range{{0, 1}}},
		{"bytes=25-25", Satisfiable, []Range{{25, 1}}},
		{"bytes=0-25", Satisfiable, []Range{{0, 26}}},
		{"bytes=0-26", Satisfiable, []Range{{0, 26}}},
		{"bytes=0-", Satisfiable, []Range{{0, 26}}},
		{"bytes=20-", Satisfiable, []Range{{20, 6}}},
		{"bytes=20-100", Satisfiable, []Range{{20, 6}}},
		{"bytes=-8", Satisfiable, []Range{{18, 8}}},
		{"bytes=-26", Satisfiable, []Range{{0, 26}}},
		{"bytes=-100", Satisfiable, []Range{{0, 26}}},
		{"bytes=000-0008", Satisfiable, []Range{{0, 9}}},
		{"Bytes=0-8", Satisfiable, []Range{{0, 9}}},
		{"BYTES=0-8", Satisfiable, []Range{{0, 9}}},

		// numbers too big for int64
		{"bytes=5-" + huge, Satisfiable, []Range{{5, 21}}},
		{"bytes=-" + huge, Satisfiable, []Range{{0, 26}}},
		{"bytes=" + huge + "-", Unsatisfiable, nil},
		{"bytes=" + huge + "-" + huge, Unsatisfiable, nil},
		{"bytes=" + huge + "1-" + huge + "0", Ignored, nil},
		{"bytes=" + huge + "-5", Ignored, nil},
		{"bytes=9223372036854775807-", Unsatisfiable, nil},
		{"bytes=0-9223372036854775807", Satisfiable, []Range{{0, 26}}},
		{"bytes=0-9223372036854775808", Satisfiable, []Range{{0, 26}}},

		// none
		{"bytes=26-", Unsatisfiable, nil},
		{"bytes=26-26", Unsatisfiable, nil},
		{"bytes=100-200", Unsatisfiable, nil},
		{"bytes=-0", Unsatisfiable, nil},
		{"bytes=-00", Unsatisfiable, nil},
		{"bytes=26-,27-,-0", Unsatisfiable, nil},

		// lists
		{"bytes=0-8,9-10", Satisfiable, []Range{{0, 9}, {9, 2}}},
		{"bytes=0-8 , 9-10", Satisfiable, []Range{{0, 9}, {9, 2}}},
		{"bytes= 0-8,\t-2", Satisfiable, []Range{{0, 9}, {24, 2}}},
		{"bytes=-2,0-8", Satisfiable, []Range{{24, 2}, {0, 9}}},
		{"bytes=0-0,0-0,0-0", Satisfiable, []Range{{0, 1}, {0, 1}, {0, 1}}},
		{"bytes=,,0-8,,", Satisfiable, []Range{{0, 9}}},
		{"bytes=0-8,26-", Satisfiable, []Range{{0, 9}}},
		{"bytes=26-,0-8", Satisfiable, []Range{{0, 9}}},
		{"bytes=0-12,13-25", Satisfiable, []Range{{0, 13}, {13, 13}}},
		{"bytes=0-12,12-25", Ignored, nil}, // 27 bytes of 26
		{"bytes=0-,0-", Ignored, nil},
		{"bytes=0-,-1", Ignored, nil},
		{"bytes=" + strings.Repeat("0-0,", 26), Satisfiable, slices.Repeat([]Range{{0, 1}}, 26)},
		{"bytes=" + strings.Repeat("0-0,", 27), Ignored, nil},
		{"bytes=" + strings.Repeat("30-,", RangesMax) + "0-0", Ignored, nil},
		{"bytes=" + strings.Repeat("30-,", RangesMax-1) + "0-0", Satisfiable, []Range{{0, 1}}},
		{"bytes=" + strings.Repeat(",", 2*RangesMax) + "0-0", Satisfiable, []Range{{0, 1}}},

		// malformed, or of another unit
		{"", Ignored, nil},
		{"bytes", Ignored, nil},
		{"bytes=", Ignored, nil},
		{"bytes=,", Ignored, nil},
		{"bytes=-", Ignored, nil},
		{"bytes=--1", Ignored, nil},
		{"bytes=1--2", Ignored, nil},
		{"bytes=8-0", Ignored, nil},
		{"bytes=8-7", Ignored, nil},
		{"bytes=alpha", Ignored, nil},
		{"bytes=0-8,alpha", Ignored, nil},
		{"bytes=a-8", Ignored, nil},
		{"bytes=0-b", Ignored, nil},
		{"bytes=0x1-8", Ignored, nil},
		{"bytes=+1-8", Ignored, nil},
		{"bytes=0-+8", Ignored, nil},
		{"bytes=1.0-8", Ignored, nil},
		{"bytes=1_0-18", Ignored, nil},
		{"bytes=0 - 8", Ignored, nil},
		{"bytes=0-8 9-10", Ignored, nil},
		{"bytes=0-8;9-10", Ignored, nil},
		{"bytes =0-8", Ignored, nil},
		{" bytes=0-8", Ignored, nil},
		{"bytes 0-8", Ignored, nil},
		{"bytes:0-8", Ignored, nil},
		{"byte=0-8", Ignored, nil},
		{"lines=0-8", Ignored, nil},
		{"none", Ignored, nil},
		{"0-8", Ignored, nil},
		{"bytes=0", Ignored, nil},
		{"bytes=٣-٤", Ignored, nil}, // digits of another script
	} {
		ranges, verdict := ParseRanges(c.field, 26)
		if verdict != c.verdict || !slices.Equal(ranges, c.want) {
			t.Errorf("%q: %v %v, not %v %v", c.field, verdict, ranges, c.verdict, c.want)
		}
	}
}

func TestParseRangesOfTheBiggestFile(t *testing.T) {
	const most = 1<<63 - 1
	got, verdict := ParseRanges("bytes=0-9223372036854775805,-1", most)
	if want := []Range{{0, most - 1}, {most - 1, 1}}; verdict != Satisfiable || !slices.Equal(got, want) {
		t.Errorf("%v %v, not %v", verdict, got, want)
	}
	if _, verdict := ParseRanges("bytes=0-,0-,0-", most); verdict != Ignored {
		t.Errorf("three times the file: %v", verdict)
	}
}

func TestContentRange(t *testing.T) {
	if got := (Range{5, 3}).ContentRange(10); got != "bytes 5-7/10" {
		t.Error(got)
	}
}

var (
	plainField = regexp.MustCompile(`(?is)^bytes=(.*)$`)
	plainSpec  = regexp.MustCompile(`^([0-9]*)-([0-9]*)$`)
)

// plainRanges is ParseRanges with numbers of any length.
func plainRanges(field string, size int64) ([]Range, Verdict) {
	m := plainField.FindStringSubmatch(field)
	if m == nil {
		return nil, Ignored
	}
	var specs []string
	for _, s := range strings.Split(m[1], ",") {
		if s = textproto.TrimString(s); s != "" {
			specs = append(specs, s)
		}
	}
	if len(specs) == 0 || len(specs) > RangesMax {
		return nil, Ignored
	}
	end, one, sum := big.NewInt(size), big.NewInt(1), new(big.Int)
	var ranges []Range
	for _, s := range specs {
		m := plainSpec.FindStringSubmatch(s)
		if m == nil || s == "-" {
			return nil, Ignored
		}
		from, hasFrom := new(big.Int).SetString(m[1], 10)
		to, hasTo := new(big.Int).SetString(m[2], 10)
		switch {
		case !hasFrom:
			from = new(big.Int).Sub(end, to)
			if from.Sign() < 0 {
				from.SetInt64(0)
			}
			to = new(big.Int).Sub(end, one)
		case !hasTo:
			to = new(big.Int).Sub(end, one)
		case to.Cmp(from) < 0:
			return nil, Ignored
		}
		if to.Cmp(end) >= 0 {
			to = new(big.Int).Sub(end, one)
		}
		if n := new(big.Int).Sub(to, from); n.Sign() >= 0 {
			n.Add(n, one)
			sum.Add(sum, n)
			ranges = append(ranges, Range{from.Int64(), n.Int64()})
		}
	}
	switch {
	case sum.Cmp(end) > 0:
		return nil, Ignored
	case len(ranges) == 0:
		return nil, Unsatisfiable
	}
	return ranges, Satisfiable
}

func FuzzParseRanges(f *testing.F) {
	for _, field := range []string{"bytes=0-8", "bytes=-5,2-", "bytes=99999999999999999999-", "bytes=5-4", "Bytes=,0-0 ,\t1-1", "x=1-2"} {
		f.Add(field, int64(26))
		f.Add(field, int64(0))
		f.Add(field, int64(1<<63-1))
	}
	f.Fuzz(func(t *testing.T, field string, size int64) {
		if size < 0 {
			return
		}
		got, verdict := ParseRanges(field, size)
		want, wantVerdict := plainRanges(field, size)
		if verdict != wantVerdict || !slices.Equal(got, want) {
			t.Errorf("%q of %d: %v %v, plainly %v %v", field, size, verdict, got, wantVerdict, want)
		}
	})
}
