package decompress

import (
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/thresh-dev/thresh/internal/threshold"
)

const (
	blocksInFlight = 4 // of one frame, at most: the library's stages
	blockMemory    = 512 << 10
)

var (
	// A frame whose window is larger is not decompressed before its turn. It is what
	// readers should support at least (RFC 8878, section 3.1.1.1.2), and what zstd makes
	// unless it is asked for more.
	windowAhead = threshold.New("unpack: window of zstd ahead of its turn", 8<<20, zstd.MinWindowSize)

	// The library can work on a frame in stages, a goroutine each. With two processors the
	// handing over costs more than it gains: BenchmarkWorkers.
	stagesWorkersMin = threshold.New("unpack: workers for stages of zstd", 3, 1)
)

// decoderBytes returns the memory of a decoder beside what goes in and out.
func decoderBytes(window int64) int64 { return window + blocksInFlight*blockMemory }

// windowMax returns the largest window that fits the memory.
func windowMax(o Options, f Format) int64 {
	if o.MemBytes == 0 {
		return 1 << 30
	}
	n := int64(o.workersFor(f))
	used := decoderBytes(0)
	if n > 1 {
		used += n * workerBytes()
		if f == Zstd {
			used += n * decoderBytes(int64(windowAhead.Get()))
		}
	}
	return max(o.MemBytes-used, zstd.MinWindowSize)
}

// zstdDecoder gives the library the frames of a run.
type zstdDecoder struct {
	window  int64
	workers int
	d       *zstd.Decoder
	in      input
}

func newZstdDecoder(window int64, workers int) *zstdDecoder {
	if workers < stagesWorkersMin.Get() {
		workers = 1
	}
	return &zstdDecoder{window: window, workers: workers}
}

func (d *zstdDecoder) reset(in input, limit int64) error {
	if c, ok := in.(*cursor); ok {
		c.stopAt = limit
	}
	d.in = in
	if d.d == nil {
		var err error
		if d.d, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(min(d.workers, blocksInFlight)),
			zstd.WithDecoderMaxWindow(uint64(d.window)), zstd.WithDecoderMaxMemory(uint64(d.window))); err != nil {
			return err
		}
	}
	return d.d.Reset(struct{ io.Reader }{in})
}

func (d *zstdDecoder) Read(p []byte) (int, error) { return d.d.Read(p) }
func (d *zstdDecoder) off() int64                 { return d.in.pos() }
func (d *zstdDecoder) stop()                      { d.close() }

// close ends the library's goroutines, and waits for them.
func (d *zstdDecoder) close() {
	if d.d != nil {
		d.d.Close()
		d.d = nil
	}
}

const (
	frameMagic     = 0xfd2fb528
	skippableMagic = 0x184d2a50 // and the fifteen that follow
)

func isFrame(head []byte) bool { return binary.LittleEndian.Uint32(head) == frameMagic }
func isSkippable(head []byte) bool {
	return binary.LittleEndian.Uint32(head)&^15 == skippableMagic
}

// walker follows the frames of zstd data through the bytes that pass by, from header to
// header of frames and blocks (RFC 8878, section 3.1), and so knows where frames begin. A
// nil walker knows nothing.
type walker struct {
	skip   uint64 // bytes before the next header
	need   int    // bytes of the header that is being gathered
	have   int
	head   [headerBytesMax]byte
	state  walkState
	sum    bool   // the frame has a checksum
	window uint64 // the largest so far
}

// headerBytesMax is a frame's: magic, descriptor, window, dictionary, content size.
const headerBytesMax = 4 + 1 + 1 + 4 + 8

type walkState uint8

const (
	atFrame      walkState = iota // before, or in, the magic number of a frame
	inDescriptor                  // of a frame's header, which says how long the header is
	inHeader
	inSkippable // the size of a skippable frame
	atBlock
	lost // this is no zstd data
)

// walk follows the bytes that come next, and returns the index of the first frame that
// begins in them, -1 when none does.
func (w *walker) walk(p []byte) (start int) {
	start = -1
	if w == nil {
		return start
	}
	for i := 0; i < len(p) && w.state != lost; {
		if w.skip > 0 {
			n := min(w.skip, uint64(len(p)-i))
			w.skip -= n
			i += int(n)
			continue
		}
		if w.have == 0 && w.state == atFrame {
			w.need = 4
			if start < 0 {
				start = i
			}
		}
		n := copy(w.head[w.have:w.need], p[i:])
		w.have += n
		i += n
		if w.have == w.need {
			w.step()
		}
	}
	return start
}

// broken reports whether the input must not end here.
func (w *walker) broken() bool {
	return w != nil && (w.skip > 0 || w.have > 0 || w.state != atFrame)
}

// windowMax returns the largest window of the frames so far.
func (w *walker) windowMax() uint64 {
	if w == nil {
		return 0
	}
	return w.window
}

// expect sets what the next bytes are.
func (w *walker) expect(s walkState, need int) { w.state, w.need, w.have = s, need, 0 }

// grow adds bytes to the header that is being gathered.
func (w *walker) grow(s walkState, bytes int) { w.state, w.need = s, w.need+bytes }

// step takes a complete part of a header.
func (w *walker) step() {
	switch w.state {
	case atFrame:
		switch {
		case isFrame(w.head[:]):
			w.grow(inDescriptor, 1)
		case isSkippable(w.head[:]):
			w.grow(inSkippable, 4)
		default:
			w.state = lost
		}
	case inSkippable:
		w.skip = uint64(binary.LittleEndian.Uint32(w.head[4:]))
		w.expect(atFrame, 4)
	case inDescriptor:
		if rest := headerRest(w.head[4]); rest > 0 {
			w.grow(inHeader, rest)
			return
		}
		w.header()
	case inHeader:
		w.header()
	case atBlock:
		w.blockHeader()
	}
}

// Fields of the descriptor of a frame.
const (
	singleSegment = 1 << 5
	hasChecksum   = 1 << 2
)

// headerRest returns how many bytes of a header follow its descriptor.
func headerRest(descriptor byte) int {
	rest := contentSizeBytes(descriptor) + []int{0, 1, 2, 4}[descriptor&3]
	if descriptor&singleSegment == 0 {
		rest++
	}
	return rest
}

func contentSizeBytes(descriptor byte) int {
	if descriptor>>6 == 0 && descriptor&singleSegment != 0 {
		return 1
	}
	return []int{0, 2, 4, 8}[descriptor>>6]
}

// header takes a frame's whole header.
func (w *walker) header() {
	d := w.head[4]
	w.sum = d&hasChecksum != 0
	var window uint64
	if d&singleSegment != 0 {
		var size [8]byte
		n := contentSizeBytes(d)
		copy(size[:], w.head[w.need-n:w.need])
		window = binary.LittleEndian.Uint64(size[:])
		if n == 2 {
			window += 256
		}
	} else {
		exponent, mantissa := w.head[5]>>3, uint64(w.head[5]&7)
		window = 1 << (10 + exponent)
		window += window / 8 * mantissa
	}
	w.window = max(w.window, window)
	w.expect(atBlock, 3)
}

// blockHeader takes the header of a block.
func (w *walker) blockHeader() {
	h := uint64(w.head[0]) | uint64(w.head[1])<<8 | uint64(w.head[2])<<16
	last, kind, size := h&1 != 0, h>>1&3, h>>3
	switch kind {
	case 1:
		size = 1 // one byte, repeated
	case 3:
		w.state = lost
		return
	}
	w.skip = size
	w.expect(atBlock, 3)
	if last {
		w.expect(atFrame, 4)
	}
	if last && w.sum {
		w.skip += 4
	}
}
