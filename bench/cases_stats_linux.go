package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
)

// bf16Bits returns the upper half of a float32. Pairs of these, read as f32, look like weights, too.
func bf16Bits(v float64) uint16 { return uint16(math.Float32bits(float32(v)) >> 16) }

// f16Bits returns a number as f16. Those below the smallest normal one become 0.
func f16Bits(v float64) uint16 {
	raw := math.Float32bits(float32(v))
	sign, exponent := uint16(raw>>16)&0x8000, int(raw>>23&0xff)-127
	if exponent < -14 {
		return sign
	}
	return sign | uint16(exponent+15)<<10 | uint16(raw>>13)&0x3ff
}

// weights returns a file of normally distributed values of 16 bits.
func (b *bench) weights(name string, size int64, encode func(float64) uint16) (*subject, error) {
	return b.data.file(name, size, func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		random := rand.New(rand.NewPCG(1, tableSeed))
		values := make([]byte, 2<<16) // repeated: only the kernel's branches depend on values
		for i := 0; i < len(values); i += 2 {
			binary.LittleEndian.PutUint16(values[i:], encode(random.NormFloat64()/32))
		}
		w := bufio.NewWriterSize(f, 1<<20)
		for left := size; left > 0 && err == nil; {
			var n int
			n, err = w.Write(values[:min(left, int64(len(values)))])
			left -= int64(n)
		}
		return errors.Join(err, w.Flush(), f.Sync(), f.Close())
	})
}

// stats16 compares the statistics of floats of 16 bits with those of 32, byte for byte.
func stats16(ctx context.Context, b *bench, name string) error {
	const width = 4
	size := b.scaled(1_000_000_000) &^ (width - 1)
	bf16, err := b.weights("weights-bf16", size, bf16Bits)
	if err != nil {
		return err
	}
	defer bf16.Close()
	f16, err := b.weights("weights-f16", size, f16Bits)
	if err != nil {
		return err
	}
	defer f16.Close()
	wide, err := b.statsOf(ctx, bf16, "f32")
	if err != nil {
		return err
	}
	first, second := warmState(bf16), warmState(f16)
	for _, side := range []struct {
		typ  string
		file *subject
	}{{"bf16", bf16}, {"f16", f16}} {
		ask, err := b.statsOf(ctx, side.file, side.typ)
		if err != nil {
			return err
		}
		peer := wide
		peer.name, peer.target = "f32 beside "+side.typ, atLeast(0.8)
		peer.note = fmt.Sprintf("%d MB of weights each", size/1e6)
		if err := b.compare(ctx, name, bothStates(first, second), size, ask, peer); err != nil {
			return err
		}
	}
	return nil
}

// bothStates is the state of two files at once.
func bothStates(a, b state) state {
	return state{
		before: func() error { return errors.Join(a.before(), b.before()) },
		after:  func() error { return errors.Join(a.after(), b.after()) },
	}
}

// statsOf asks for the statistics of a file; the plain twin says what is right.
func (b *bench) statsOf(ctx context.Context, file *subject, typ string) (contender, error) {
	ask := contender{name: "thresh", args: []string{b.thresh, "count", "--type", typ, "--stats", file.Name}}
	twin := ask
	twin.env = []string{"THRESH_ISA=plain"}
	twin.answer = func(stdout string) (string, error) {
		ask.want = strings.TrimSpace(stdout)
		return "", nil
	}
	_, err := twin.exec(ctx)
	return ask, err
}
