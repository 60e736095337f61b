package gen

import (
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
)

// Records are made in blocks, on all processors, and the blocks are written in order. A block's
// dice are seeded with its index, so the bytes depend only on the seed.

// dice is the random number generator of a block.
type dice struct{ rand.PCG }

func newDice(seed uint64, block int64) *dice {
	d := new(dice)
	d.Seed(seed, uint64(block)*0x9e3779b97f4a7c15+0x6a09e667f3bcc909)
	return d
}

// below returns a number from 0 to n-1.
func (d *dice) below(n int) int {
	hi, _ := bits.Mul64(d.Uint64(), uint64(n))
	return int(hi)
}

// oneIn returns true with probability 1/n.
func (d *dice) oneIn(n int) bool { return d.below(n) == 0 }

// digits appends n random digits, at most 15. It takes the random number as a fraction: each
// multiplication by ten yields a digit.
func (d *dice) digits(out []byte, n int) []byte {
	x := d.Uint64()
	var digit uint64
	for range n {
		digit, x = bits.Mul64(x, 10)
		out = append(out, '0'+byte(digit))
	}
	return out
}

// symbols appends n random symbols out of 32; n is at most 12.
func (d *dice) symbols(out []byte, n int, of *[32]byte) []byte {
	x := d.Uint64()
	for range n {
		out = append(out, of[x%32])
		x /= 32
	}
	return out
}

// maker returns a function for a block that appends one record per call.
type maker func(d *dice) func(out []byte) []byte

// writeBytes writes the header and as many whole records as fit in that many bytes.
func writeBytes(w io.Writer, header string, bytes int64, seed uint64, records maker) error {
	if int64(len(header)) > bytes {
		return nil
	}
	if _, err := io.WriteString(w, header); err != nil {
		return err
	}
	room := bytes - int64(len(header))
	block := func(out []byte, i, room int64) []byte {
		next := records(newDice(seed, i))
		for len(out) < blockBytes {
			n := len(out)
			if out = next(out); int64(len(out)) > room {
				return out[:n]
			}
		}
		return out
	}
	whole := func(out []byte, i int64) []byte { return block(out, i, math.MaxInt64) }
	return inOrder(math.MaxInt64, whole, func(b []byte, i int64) (more bool, err error) {
		if more = int64(len(b)) <= room; !more {
			b = block(b[:0], i, room) // the same records, as many as fit
		}
		n, err := w.Write(b)
		room -= int64(n)
		return more, err
	})
}

// blockRows is the number of rows in a block of writeRows.
const blockRows = 1 << 15

// writeRows writes that many records. It passes the index of a block's first row to records.
func writeRows(w io.Writer, rows int64, seed uint64, records func(d *dice, row int64) func([]byte) []byte) error {
	block := func(out []byte, i int64) []byte {
		first := i * blockRows
		next := records(newDice(seed, i), first)
		for range min(blockRows, rows-first) {
			out = next(out)
		}
		return out
	}
	return inOrder((rows+blockRows-1)/blockRows, block, func(b []byte, _ int64) (bool, error) {
		_, err := w.Write(b)
		return true, err
	})
}

// inOrder makes the blocks 0 to n-1 and passes them to put in order, until put returns false. Worker
// k makes the blocks k, k+workers, k+2*workers and so on, so reading from the workers in turn gives
// the order. Each worker is at most a few blocks ahead.
func inOrder(n int64, made func([]byte, int64) []byte, put func([]byte, int64) (bool, error)) error {
	const ahead = 2 // blocks of each worker, of about 1 MiB each
	workers := int64(runtime.GOMAXPROCS(0))
	stop := make(chan struct{})
	defer close(stop)
	full, empty := make([]chan []byte, workers), make([]chan []byte, workers)
	for k := range workers {
		full[k], empty[k] = make(chan []byte, ahead), make(chan []byte, ahead)
		for range ahead {
			empty[k] <- make([]byte, 0, blockBytes+blockBytes/8)
		}
		go func() {
			for i := k; i >= 0 && i < n; i += workers {
				select {
				case <-stop:
					return
				case buf := <-empty[k]:
					full[k] <- made(buf[:0], i) // never blocks: the channel has room for all of them
				}
			}
		}()
	}
	for i := range n {
		b := <-full[i%workers]
		more, err := put(b, i)
		if err != nil || !more {
			return err
		}
		empty[i%workers] <- b
	}
	return nil
}
