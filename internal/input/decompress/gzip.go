package decompress

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/thresh-dev/thresh/internal/kernel/inflate"
)

var gzipRow = row{
	name: "gzip", variant: "BGZF", suffixes: []string{".gz", ".bgz"}, bounded: true,
	// The flags have three reserved bits (RFC 1952).
	signatures: []signature{{magic: "\x1f\x8b\x08", need: 4, enough: 3,
		check: func(h []byte) bool { return h[3]&flagsReserved == 0 }}},
	open: func(c *codec, _ int, _ bool) decoder { return &gzipDecoder{from: c.off} },
	candidate: func(_ *run, d decoder, seg *segment, i int, blocks bool) (int, joint, int) {
		return d.(*gzipDecoder).candidate(seg.data, i, blocks)
	},
	blocks: true,
}

// gzipMagic is the beginning of a member: two magic bytes and the method, deflate (RFC 1952).
var gzipMagic = []byte{0x1f, 0x8b, 8}

// Flags of a member's header.
const (
	flagHeaderCRC = 1 << 1
	flagExtra     = 1 << 2
	flagName      = 1 << 3
	flagComment   = 1 << 4
	flagsReserved = 0xe0
)

// nextMember returns the first index of data, from i on, where a gzip member may begin, -1 if there
// is none. At the end of data the first bytes of a header are enough.
func nextMember(data []byte, i int) int {
	for ; i < len(data); i++ {
		k := bytes.IndexByte(data[i:], gzipMagic[0])
		if k < 0 {
			return -1
		}
		i += k
		head := data[i:min(i+len(gzipMagic), len(data))]
		if bytes.HasPrefix(gzipMagic, head) && (i+3 >= len(data) || data[i+3]&flagsReserved == 0) {
			return i
		}
	}
	return -1
}

// gzipDecoder decompresses member after member.
type gzipDecoder struct {
	from  int64 // offset of the first member
	in    input
	buf   *bufio.Reader
	flate *deflateReader
	limit int64
	first bool // the first member is next, so padding is not allowed
	open  bool // within a member

	crc   uint32
	bytes int64 // of content that crc is of
	began int64 // offset of the member
	block int64 // size of the member according to BGZF; 0 for other members
	err   error // the error of a run that ends here: io.EOF or errUnfinished

	// What a run needs that begins or ends within a member: see blocks.go.
	at      joint
	ends    func(off int64, at joint) bool // whether the run ends before a block; nil: it does not
	tail    []inflate.Symbol               // the last content of a run that ended, if that is symbols
	partial bool                           // the member has begun before the run
	finder  *inflate.Finder
}

func (d *gzipDecoder) reset(in input, limit int64) error {
	d.in, d.limit, d.open, d.err = in, limit, false, io.EOF
	d.first = in.pos() == d.from
	if d.buf == nil {
		d.buf = bufio.NewReaderSize(in, inputBufferBytes.Get())
		d.flate = newDeflate(d.buf)
		d.flate.ends = d.endsAtBlock
	} else {
		d.buf.Reset(in)
	}
	return d.continued()
}

func (d *gzipDecoder) off() int64 {
	off := d.in.pos() - int64(d.buf.Buffered())
	if d.at.bit > 0 {
		off-- // the run has ended within the last byte that was read
	}
	return off
}
func (d *gzipDecoder) stop()  {}
func (d *gzipDecoder) close() {}

func (d *gzipDecoder) Read(p []byte) (int, error) {
	for {
		if !d.open {
			if err := d.begin(); err != nil {
				return 0, err
			}
		}
		marked := d.flate.decoder.Marked()
		n, err := d.flate.Read(p)
		if !marked {
			d.crc = crc32.Update(d.crc, crc32.IEEETable, p[:n])
			d.bytes += int64(n)
		}
		switch {
		case err == io.EOF && d.partial:
			d.at = joint{part: memberTrailer}
		case err == io.EOF:
			err = d.end()
		case err == errAtBlock:
			err = io.EOF
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// begin reads the header of the next member. Zeros behind the last member are padding, as on tapes,
// and are skipped as gzip does. Anything else is an error.
func (d *gzipDecoder) begin() error {
	d.began = d.off()
	if d.began >= d.limit {
		return d.err
	}
	b, err := d.buf.ReadByte()
	switch {
	case err == io.EOF && d.first:
		return io.ErrUnexpectedEOF
	case err == io.EOF:
		return d.err
	case err != nil:
		return err
	case b == 0 && !d.first:
		return d.padding()
	}
	if err := d.buf.UnreadByte(); err != nil {
		return err
	}
	h, err := readHeader(d.buf)
	if err != nil {
		return endedWithin(err)
	}
	d.block, d.open, d.first = int64(h.block), true, false
	d.crc, d.bytes = 0, 0
	d.flate.decoder.Reset()
	if d.ends != nil && h.block == 0 {
		d.flate.decoder.PauseAtBlocks()
	}
	return nil
}

func (d *gzipDecoder) padding() error {
	for {
		b, err := d.buf.ReadByte()
		switch {
		case err == io.EOF:
			return d.err
		case err != nil:
			return err
		case b != 0:
			return ErrTrailing
		}
	}
}

// end checks a member against its trailer. A BGZF file must end with an empty block; without one
// it was truncated between two blocks.
func (d *gzipDecoder) end() error {
	var trailer [8]byte
	if _, err := io.ReadFull(d.buf, trailer[:]); err != nil {
		return endedWithin(err)
	}
	switch {
	case binary.LittleEndian.Uint32(trailer[:]) != d.crc:
		return ErrChecksum
	case binary.LittleEndian.Uint32(trailer[4:]) != uint32(d.bytes):
		return errSize
	case d.block > 0 && d.off()-d.began != d.block:
		return fmt.Errorf("the size of a BGZF block is wrong: %w", errSize)
	}
	d.open, d.err = false, io.EOF
	if d.block > 0 && d.bytes > 0 {
		d.err = errUnfinished
	}
	return nil
}

// endedWithin turns io.EOF into io.ErrUnexpectedEOF, for the end of the input within a member.
func endedWithin(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// header is the relevant part of a member's header.
type header struct {
	block int // bytes of the whole member in BGZF, including header and trailer; otherwise 0
}

var errHeader = errors.New("the header of a gzip member is damaged")

// readHeader reads the header of a member and no byte behind it.
func readHeader(r *bufio.Reader) (h header, err error) {
	// Peek's error is ignored here: take returns it below.
	if magic, _ := r.Peek(len(gzipMagic)); len(magic) > 0 && !bytes.HasPrefix(gzipMagic, magic) {
		return h, ErrTrailing
	}
	in := &summed{r: r}
	fixed, err := in.take(10)
	if err != nil {
		return h, err
	}
	flags := fixed[3]
	if flags&flagsReserved != 0 {
		return h, errHeader
	}
	if flags&flagExtra != 0 {
		length, err := in.take(2)
		if err != nil {
			return h, err
		}
		extra, err := in.take(int(binary.LittleEndian.Uint16(length)))
		if err != nil {
			return h, err
		}
		h.block = blockBytes(extra)
	}
	for _, flag := range []byte{flagName, flagComment} {
		if flags&flag == 0 {
			continue
		}
		if err := in.skipString(); err != nil {
			return h, err
		}
	}
	if flags&flagHeaderCRC != 0 {
		want := uint16(in.crc)
		sum, err := in.take(2)
		if err != nil {
			return h, err
		}
		if binary.LittleEndian.Uint16(sum) != want {
			return h, errHeader
		}
	}
	return h, nil
}

// blockBytes returns the size of a BGZF block from the extra field of its header, 0 if it is not
// BGZF. The subfield BC holds the size minus one (SAM specification, section 4.1).
func blockBytes(extra []byte) int {
	for len(extra) >= 4 {
		length := int(binary.LittleEndian.Uint16(extra[2:]))
		if len(extra) < 4+length {
			return 0
		}
		if extra[0] == 'B' && extra[1] == 'C' && length == 2 {
			return int(binary.LittleEndian.Uint16(extra[4:])) + 1
		}
		extra = extra[4+length:]
	}
	return 0
}

// summed reads a header and computes its checksum.
type summed struct {
	r   *bufio.Reader
	crc uint32
}

// take returns the next n bytes, at most 64 KiB.
func (s *summed) take(n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := io.ReadFull(s.r, b)
	s.crc = crc32.Update(s.crc, crc32.IEEETable, b)
	return b, err
}

func (s *summed) skipString() error {
	for {
		b, err := s.r.ReadByte()
		if err != nil {
			return err
		}
		s.crc = crc32.Update(s.crc, crc32.IEEETable, []byte{b})
		if b == 0 {
			return nil
		}
	}
}

// A CRC-32 is the rest of a polynomial over GF(2), here with its highest coefficient in the lowest bit. n
// bytes more multiply what is before them by x to the power of 8n.
const (
	crcOne  = 1 << 31 // the polynomial 1
	crcByte = 1 << 23 // x to the power of 8
)

// combineCRC returns the checksum of two parts of some content, whose checksums are a and b; bytes is how
// long the second part is.
func combineCRC(a, b uint32, bytes int64) uint32 {
	power := uint32(crcByte)
	for ; bytes > 0; bytes >>= 1 {
		if bytes&1 != 0 {
			a = multiplyCRC(a, power)
		}
		power = multiplyCRC(power, power)
	}
	return a ^ b
}

// multiplyCRC returns the product of two polynomials.
func multiplyCRC(a, b uint32) (product uint32) {
	for bit := uint32(crcOne); bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		lowest := b & 1
		b = b>>1 ^ crc32.IEEE*lowest
	}
	return product
}
