package thresh_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// account is what was found of each byte by a comparison that is interrupted again and again.
type account struct {
	differs, unread []int // how often it was found so
	skipped         int64
}

// TestCompareResumes ends comparisons at random moments and resumes them from what they settled: each byte is found as it
// is, once. Ranges that were visited after that do not count, since the next session finds them again.
func TestCompareResumes(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 38))
	for round := range rounds.Of(400) {
		func() {
			threshold.Shrink(t, 1<<(4+random.IntN(8)))
			a, b, o := randomPair(random)
			if random.IntN(2) == 0 {
				a = make([]byte, 20_000+random.IntN(20_000))
				b = bytes.Clone(a)
				for range random.IntN(200) {
					b[random.IntN(len(b))] ^= byte(random.IntN(2))
				}
				o = options.Compare{Offset: int64(random.IntN(2) * random.IntN(500))}
				o.Other = o.Offset
			}
			o.First, o.BlockBytes = false, 0
			o.Workers, o.ChunkBytes = random.IntN(4), random.IntN(3)*random.IntN(300)
			resumed(t, random, round, a, b, o)
		}()
	}
}

func resumed(t *testing.T, random *rand.Rand, round int, a, b []byte, o options.Compare) {
	t.Helper()
	ones, others := kinds(t, "a", a), kinds(t, "b", b)
	names := []string{"file", "memory", "readerat", "stream", "broken"}
	one, other := names[random.IntN(5)], names[random.IntN(5)]
	broken := [2]int64{int64(random.IntN(len(a) + 1)), 0}
	broken[1] = broken[0] + int64(random.IntN(2000))
	open := func(kind string, of map[string]func() (*thresh.Input, error), content []byte) *thresh.Input {
		if kind != "broken" || len(content) == 0 {
			return must(of[map[bool]string{true: "file", false: kind}[kind == "broken"]]())
		}
		at := brokenAt{ReaderAt: bytes.NewReader(content), calls: new(atomic.Int64), n: -1, from: broken[0], to: min(broken[1], int64(len(content)))}
		in, err := thresh.FromReaderAt(kind, at, int64(len(content)), thresh.Raw)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	all := account{differs: make([]int, len(a)), unread: make([]int, len(a))}
	began, length, sessions := o.Offset, o.Length, 0
	end, complete := began, false
	var last answer.Comparison
	for ; !complete; sessions++ {
		o.Other += end - o.Offset
		o.Offset = end
		if length != nil {
			left := *length - (end - began)
			o.Length = &left
		}
		ctx, cancel := context.WithCancel(t.Context())
		var found []answer.Hit
		until := random.IntN(30)
		if sessions > 40 {
			until = -1
		}
		o.Settled = func(s options.Settled) error {
			if s.Off < end {
				t.Errorf("round %d: settled %d after %d", round, s.Off, end)
			}
			for _, u := range slices.Concat(s.Unread[0], s.Unread[1]) {
				if u.Off < end || u.Off+u.Len > s.Off {
					t.Errorf("round %d: unread %d+%d between %d and %d", round, u.Off, u.Len, end, s.Off)
				}
				for i := u.Off; i < u.Off+u.Len; i++ {
					all.unread[i]++
				}
			}
			left := found[:0]
			for _, h := range found {
				for i := h.Off; i < min(h.Off+h.Len, s.Off); i++ {
					all.differs[i]++
				}
				if more := h.Off + h.Len - max(h.Off, s.Off); more > 0 {
					left = append(left, answer.Hit{Off: max(h.Off, s.Off), Len: more})
				}
			}
			found, end = left, s.Off
			all.skipped += s.Skipped
			switch until--; {
			case until == 0 && random.IntN(2) == 0:
				cancel()
			case until == 0:
				return errBroken
			}
			return nil
		}
		x, y := open(one, ones, a), open(other, others, b)
		var err error
		last, err = thresh.Compare(ctx, x, y, o, func(hits []answer.Hit) error {
			found = append(found, hits...)
			return nil
		})
		cancel()
		x.Close()
		y.Close()
		if complete = err == nil; err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errBroken) {
			t.Fatalf("round %d: %v", round, err)
		}
		if complete && len(found) > 0 {
			t.Errorf("round %d: %d ranges are not settled at the end", round, len(found))
		}
	}
	o.Offset, o.Length, o.Other = began, length, o.Other-(o.Offset-began)
	want, _ := difference(a, b, o)
	if o.Prefix && want.Longer == 2 { // whether it goes on is not asked
		last.Longer = 2
	}
	if got := end - began; got != want.Compared || last.Longer != want.Longer && last.Complete {
		t.Errorf("round %d, %s and %s: %d compared, longer %d, want %+v", round, one, other, got, last.Longer, want)
	}
	shift := o.Other - o.Offset
	for i := range a {
		at := int64(i)
		inside := at >= began && at < began+want.Compared
		differs := inside && a[at] != b[at+shift]
		if all.unread[i] > 1 || all.differs[i]+min(all.unread[i], 1) > 1 ||
			differs && all.differs[i]+all.unread[i] == 0 || !differs && all.differs[i] > 0 {
			t.Fatalf("round %d, %s and %s, %d sessions, %+v: byte %d differs: %v, found %d times, unread %d times",
				round, one, other, sessions, o, i, differs, all.differs[i], all.unread[i])
		}
	}
}
