package fields

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/cpu"
)

func TestBestIsAllowed(t *testing.T) {
	best := Best()
	if !cpu.Has(best.ISA) {
		t.Errorf("Best is %v, which may not run here", best.ISA)
	}
	c := new(Chunk)
	best.Func(c, append(make([]byte, 0, 64), "a,\"b\n,c\"x\nd\n"...), Dialect{Delim: ',', Quote: '"', Quoted: true}, State{})
	if c.Delims[0] != 1<<1 || c.Feeds[0] != 1<<9|1<<11 || c.Bad[0] != 1<<8 || c.Before[1] != 3 {
		t.Errorf("Best says %b, %b, %b, %d", c.Delims[0], c.Feeds[0], c.Bad[0], c.Before[1])
	}
}
