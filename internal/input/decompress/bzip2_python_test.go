package decompress

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/python"
)

// withPython answers each input, of which it is told the length first, with what Python's decompressor
// makes of it: whether all of it is valid, and the content.
const withPython = `
import sys, bz2
i, o = sys.stdin.buffer, sys.stdout.buffer
while True:
    head = i.read(9)
    if not head: break
    level, n = head[0], int.from_bytes(head[1:], "little")
    data = i.read(n)
    ok = 1
    if level: out = bz2.compress(data, level)
    else:
        out, rest = b"", data
        while rest:
            d = bz2.BZ2Decompressor()
            try: out += d.decompress(rest)
            except (OSError, ValueError): ok = 0
            if not d.eof: ok = 0
            if not ok: break
            rest = d.unused_data
    o.write(bytes([ok]) + len(out).to_bytes(8, "little") + out); o.flush()
`

// oracle asks a running Python.
type oracle struct {
	t   *testing.T
	in  io.Writer
	out io.Reader
}

func newOracle(t *testing.T) *oracle {
	cmd := exec.Command(python.Interpreter(t, "bz2"), "-c", withPython)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &oracle{t, in, out}
}

// ask compresses with a level from 1 to 9, and decompresses with level 0.
func (o *oracle) ask(level byte, data []byte) (out []byte, ok bool) {
	o.t.Helper()
	if _, err := o.in.Write(append(binary.LittleEndian.AppendUint64([]byte{level}, uint64(len(data))), data...)); err != nil {
		o.t.Fatal(err)
	}
	var head [9]byte
	if _, err := io.ReadFull(o.out, head[:]); err != nil {
		o.t.Fatal(err)
	}
	out = make([]byte, binary.LittleEndian.Uint64(head[1:]))
	if _, err := io.ReadFull(o.out, out); err != nil {
		o.t.Fatal(err)
	}
	return out, head[0] == 1
}

// TestBzip2LikePython compares with Python's bz2: levels 1 to 9, streams one behind the other, and streams
// with a wrong bit or without their end.
func TestBzip2LikePython(t *testing.T) {
	o := newOracle(t)
	contents := [][]byte{nil, {1}, text(5000, 1), noise(3000, 2), bytes.Repeat([]byte("ab"), 2000),
		bytes.Repeat([]byte{7}, 250_000), append(text(130_000, 3), noise(120_000, 4)...)}
	var all, packed []byte
	for level := byte(1); level <= 9; level++ {
		for _, content := range contents {
			one, _ := o.ask(level, content)
			check(t, "one stream", one, content, Bzip2)
			if len(one) < 50_000 || level%4 == 1 {
				all, packed = append(all, content...), append(packed, one...)
			}
		}
	}
	check(t, "all streams", packed, all, Bzip2)

	r := rand.New(rand.NewPCG(1, 2))
	one, _ := o.ask(1, text(4000, 5))
	two, _ := o.ask(9, noise(500, 6))
	valid := append(one, two...)
	for i := range 1500 {
		damaged, bit := bytes.Clone(valid), r.IntN(8*len(valid))
		if damaged[bit/8] ^= 1 << (bit % 8); i%3 == 0 {
			damaged = valid[:max(bit/8, 1)] // an empty input is no stream, which Python has no opinion about
		}
		want, ok := o.ask(0, damaged)
		got, err := decompressAll(t, damaged, Bzip2, 1+i%3)
		if ok && (err != nil || !bytes.Equal(got, want)) || !ok && err == nil {
			t.Errorf("case %d, bit %d: %d bytes, error %v; Python: %d bytes, all valid: %v", i, bit, len(got), err, len(want), ok)
		}
	}
}
