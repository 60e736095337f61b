package key

import (
	"math/rand/v2"
	"regexp"
	"testing"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// Every variant marks what the plain one does, for fields of every length, the slack of the
// last of which ends where memory must not be touched, and finds the same in it.
func TestBlock(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		_, text := kerneltest.Guarded(t, 4096)
		var got, want block
		for n := range rounds.Of(2000) {
			for i := range text {
				text[i] = "ab, \xff"[r.IntN(5)]
			}
			got.records = got.records[:0]
			for j := range blockMax - n%group {
				length := min(r.IntN(fieldMax+4), fieldMax+1)
				got.records = append(got.records, uint16(j))
				got.fields[j] = records.Span{Off: uint32(r.IntN(len(text) - records.SlackBytes - length + 1)), Len: uint32(length)}
			}
			got.fields[0] = records.Span{Off: uint32(len(text) - records.SlackBytes)}
			want.records, want.fields = got.records, got.fields
			base := unsafe.Pointer(unsafe.SliceData(text))
			m := randomMasks(r)
			for k := 0; k < len(m.ranges); k += 2 {
				f.mark(base, &got, m.ranges[k], m.ranges[k+1], &got.in[k], &got.in[k+1])
				markPlain(base, &want, m.ranges[k], m.ranges[k+1], &want.in[k], &want.in[k+1])
			}
			f.walk(&got, m)
			walkPlain(&want, m)
			for j := range got.records {
				inside := uint64(1)<<min(got.fields[j].Len, fieldMax) - 1
				for k := range m.ranges {
					if (got.in[k][j]^want.in[k][j])&inside != 0 {
						t.Fatalf("%v, record %d: marks %x, want %x", m.ranges[k], j, got.in[k][j], want.in[k][j])
					}
				}
				if got.found[j] != want.found[j] {
					t.Fatalf("%+v in %q: got %v, want %v", m, got.fields[j].Of(text), got.found[j], want.found[j])
				}
			}
			if got.fits != want.fits || got.doubt != want.doubt {
				t.Fatalf("%+v: fits\n got %x\nwant %x, doubt\n got %x\nwant %x", m, got.fits, want.fits, got.doubt, want.doubt)
			}
		}
	})
}

// randomMasks makes masks that expressions make, and others.
func randomMasks(r *rand.Rand) *masks {
	m := &masks{begin: r.IntN(2) == 0, end: r.IntN(4) == 0, final: r.IntN(2) == 0}
	for range 2 * (1 + r.IntN(3)) {
		s := span{first: "ab, \xff\x00"[r.IntN(6)]}
		s.length = byte(r.IntN(256-int(s.first))) & byte(r.IntN(256))
		m.ranges = append(m.ranges, s)
	}
	for range 1 + r.IntN(5) {
		var s step
		for range r.IntN(3) {
			s.ranges = append(s.ranges, uint8(r.IntN(len(m.ranges))))
		}
		s.others, s.min = -uint64(r.IntN(2)), uint64(r.IntN(3))
		s.max = max(s.min, []uint64{1, 2, fieldMax}[r.IntN(3)])
		m.steps = append(m.steps, s)
	}
	m.to = r.IntN(len(m.steps) + 1)
	m.from = r.IntN(m.to + 1)
	return m
}

// Every variant finds what the standard library finds.
func TestForms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		for expr := range scanned {
			p := compiled(t, expr, Compile)
			if p.masks == nil {
				continue
			}
			p.kernels.Func = f
			var fields [][]byte
			for range rounds.Of(700) {
				fields = append(fields, field(r, "ab, @x.1\xc3\xa9\n"))
			}
			against(t, p, regexp.MustCompile(expr), fields)
		}
	})
}
