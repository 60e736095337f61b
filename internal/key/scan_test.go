package key

import (
	"math/rand/v2"
	"regexp"
	"testing"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/records"
)

// Every form marks what the plain one does, for fields of every length, the slack of the
// last of which ends where memory must not be touched.
func TestMark(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kerneltest.Run(t, variants, func(t *testing.T, mark markFunc) {
		_, text := kerneltest.Guarded(t, 4096)
		for range 200 {
			for i := range text {
				text[i] = byte(r.IntN(256))
			}
			var b block
			for j := range blockMax - r.IntN(2) {
				n := r.IntN(fieldMax + 1)
				b.records = append(b.records, uint16(j))
				b.at[j], b.length[j] = uint32(r.IntN(len(text)-records.SlackBytes-n+1)), uint32(n)
			}
			b.at[0], b.length[0] = uint32(len(text)-records.SlackBytes), 0
			var ranges []span
			for first := r.IntN(40); first < 256 && len(ranges) < 8; first += 1 + r.IntN(60) {
				s := span{byte(first), byte(r.IntN(256 - first))}
				ranges = append(ranges, s)
				first += int(s.length) + 1
			}
			others := -uint64(r.IntN(2))
			var got, want [blockMax]uint64
			base := unsafe.Pointer(unsafe.SliceData(text))
			mark(base, &b, ranges, others, &got)
			markPlain(base, &b, ranges, others, &want)
			if got != want {
				t.Fatalf("%v, others %x:\n got %x\nwant %x", ranges, others, got, want)
			}
		}
	})
}

// Every form finds what the regexp machine finds.
func TestForms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kerneltest.Run(t, variants, func(t *testing.T, mark markFunc) {
		for expr := range scanned {
			p := compile(t, expr)
			if p.masks == nil {
				continue
			}
			p.mark.Func = mark
			var fields [][]byte
			for range 700 {
				fields = append(fields, field(r, "ab, @x.1\xc3\xa9\n"))
			}
			against(t, p, regexp.MustCompile(expr), fields)
		}
	})
}
