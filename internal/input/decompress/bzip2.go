package decompress

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
)

var bzip2Row = row{
	name: "bzip2", suffixes: []string{".bz2"}, methods: []uint16{12}, bounded: true,
	// The level, and the magic number of a block or of the end of a file without blocks.
	signatures: []signature{{magic: "BZh", need: 10, enough: 4, check: func(h []byte) bool {
		return h[3] >= '1' && h[3] <= '9' && (string(h[4:10]) == "1AY&SY" || string(h[4:10]) == "\x17rE8P\x90")
	}}},
	open: func(c *codec, _ int, _ bool) decoder { return &bzip2Decoder{from: c.off} },
	candidate: func(r *run, _ decoder, seg *segment, i int, _ bool) (int, joint, int) {
		bit, at := bzip2Candidate(seg.data, i, r.pipeline.window.level())
		return bit, at, bit + 1
	},
	current: func(int64) int64 { return bzip2BlockBytes },
	ahead:   func() int64 { return bzip2BlockBytes },
}

// Magic numbers of bzip2: the digits of pi before a block, those of its square root behind the last
// block of a stream. Neither is aligned to bytes.
const (
	bzip2BlockMagic  = 0x314159265359
	bzip2EndMagic    = 0x177245385090
	bzip2MagicBits   = 48
	bzip2HeaderBytes = 4 // "BZh" and the level
)

// errBzip2 returns the error of a part that is damaged.
func errBzip2(what string) error { return fmt.Errorf("%s: the file is damaged", what) }

// errNoSymbol reports bits that no prefix code begins with.
var errNoSymbol = errBzip2("a code that is no symbol's")

// errRandomized refuses blocks of bzip2 before version 0.9.5, of 1999.
var errRandomized = errors.New("a block is randomized, as in files from before 1999, which is not supported")

// bzip2Decoder decompresses streams of bzip2, one behind the other.
//
// A stream is a header with the level, blocks, and the combined checksum of its blocks. A block has
// its own checksum and needs nothing of the blocks before it, except the level: it bounds the
// block's size. So a run may begin before any block. It then does not know the combined checksum so
// far, and ends where the stream does, before the end's magic number; the next run compares.
type bzip2Decoder struct {
	from  int64 // offset of the first stream
	bits  bitReader
	limit int64
	first bool // the first stream's header is next
	at    joint
	block bzip2Block
	open  bool // the block has more content, or was not verified yet
}

// resume sets where the next run begins.
func (d *bzip2Decoder) resume(at joint) { d.at = at }

// joint returns where the run has ended.
func (d *bzip2Decoder) joint() joint {
	_, d.at.bit = d.bits.place()
	return d.at
}

func (d *bzip2Decoder) reset(in input, limit int64) error {
	d.first = in.pos() == d.from && d.at == joint{}
	d.limit, d.open = limit, false
	d.bits.reset(in)
	_, err := d.bits.take(uint(d.at.bit))
	return err
}

func (d *bzip2Decoder) off() int64 {
	off, _ := d.bits.place()
	return off
}

func (d *bzip2Decoder) stop()  {}
func (d *bzip2Decoder) close() {}

// Read returns the content of the next blocks. The content of a damaged block may come before its
// error, as for every format whose checksum follows the content.
func (d *bzip2Decoder) Read(p []byte) (int, error) {
	for {
		if d.open {
			if n := d.block.read(p); n > 0 || len(p) == 0 {
				return n, nil
			}
			d.open = false
			if !d.block.intact() {
				return 0, ErrChecksum
			}
			d.at.crc = bits.RotateLeft32(d.at.crc, 1) ^ d.block.want
			d.at.blocks++
		}
		if err := d.next(); err != nil {
			return 0, err
		}
	}
}

// next goes on to the next block. It returns io.EOF at the end of the run.
func (d *bzip2Decoder) next() error {
	if off, _ := d.bits.place(); off >= d.limit {
		return io.EOF
	}
	if d.at.level == 0 {
		if err := d.header(); err != nil {
			return err
		}
	}
	magic, err := d.bits.peek(bzip2MagicBits)
	switch {
	case err != nil:
		return err
	case magic == bzip2EndMagic && d.at.partial:
		return io.EOF
	case magic != bzip2BlockMagic && magic != bzip2EndMagic:
		return errBzip2("no block where one must begin")
	}
	d.bits.drop(bzip2MagicBits)
	if magic == bzip2EndMagic {
		return d.end()
	}
	if err := d.block.decode(&d.bits, int(d.at.level)); err != nil {
		return err
	}
	d.open = true
	return nil
}

// header reads the header of the next stream. It returns io.EOF if the input ends before it.
func (d *bzip2Decoder) header() error {
	for i := range bzip2HeaderBytes {
		b, err := d.bits.take(8)
		switch {
		case err == io.ErrUnexpectedEOF && i == 0 && !d.first:
			return io.EOF
		case err != nil:
			return err
		case i < 3 && byte(b) != "BZh"[i] || i == 3 && (b < '1' || b > '9'):
			return ErrTrailing
		case i == 3:
			d.at, d.first = joint{level: uint8(b - '0')}, false
		}
	}
	return nil
}

// end compares the combined checksum of a stream's blocks and skips the bits up to a whole byte.
func (d *bzip2Decoder) end() error {
	sum, err := d.bits.take(32)
	if err != nil {
		return err
	}
	if uint32(sum) != d.at.crc {
		return ErrChecksum
	}
	d.bits.align()
	d.at = joint{}
	return nil
}
