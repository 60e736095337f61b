package decompress

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/thresh-dev/thresh/internal/threshold"
)

var zstdRow = row{
	name: "zstd", suffixes: []string{".zst"}, methods: []uint16{93, 20}, // 20 is its old number
	// The descriptor has a reserved bit (RFC 8878).
	signatures: []signature{{magic: "\x28\xb5\x2f\xfd", need: 5, enough: 4,
		check: func(h []byte) bool { return h[4]&8 == 0 }}},
	open: func(c *codec, workers int, ahead bool) decoder {
		if ahead {
			return newZstdDecoder(int64(windowAhead.Get()), 1)
		}
		return newZstdDecoder(c.window, workers)
	},
	candidate: func(_ *run, _ decoder, seg *segment, i int, _ bool) (int, joint, int) {
		if i > 0 {
			return -1, joint{}, 0
		}
		return int(seg.start-seg.off) * 8, joint{}, 1
	},
	walks: true,
	explain: func(c *codec, err, _ error) error {
		switch {
		case errors.Is(err, zstd.ErrCRCMismatch):
			return ErrChecksum
		case errors.Is(err, zstd.ErrMagicMismatch):
			return ErrTrailing
		case tooLarge(err):
			return fmt.Errorf("its window needs %d MiB of memory, and the memory limit leaves %d MiB: raise the limit "+
				"(Run.MemoryBytes)", ceilMiB(c.walker.windowMax()), c.window>>20)
		}
		return err
	},
	// Half of the memory is for the current run, which may need a large window.
	current: func(memBytes int64) int64 { return memBytes - memBytes/2 },
	ahead:   func() int64 { return decoderBytes(int64(windowAhead.Get())) },
}

const (
	blocksInFlight = 4 // the most blocks of one frame: one for each stage of the library
	blockMemory    = 512 << 10
)

var (
	// A frame with a larger window is not decompressed before its turn. This is the least that
	// decoders should support (RFC 8878, section 3.1.1.1.2), and the most that zstd uses by
	// default.
	windowAhead = threshold.New("decompress: zstd window ahead of its turn", 8<<20, zstd.MinWindowSize)

	// The library can decompress a frame in stages, each in a goroutine. With two processors
	// the handover costs more than the stages gain: see BenchmarkWorkers.
	stagesWorkersMin = threshold.New("decompress: workers for zstd stages", 3, 1)
)

// decoderBytes returns the memory of a decoder, without its input and output.
func decoderBytes(window int64) int64 { return window + blocksInFlight*blockMemory }

// windowMax returns the largest window that the memory bound allows.
func (w *row) windowMax(o Options, workers int) int64 {
	if o.MemBytes == 0 {
		return 1 << 30
	}
	used := decoderBytes(0)
	if workers > 1 {
		used += int64(workers) * (workerBytes() + w.aheadBytes())
	}
	return max(o.MemBytes-used, zstd.MinWindowSize)
}

func tooLarge(err error) bool {
	return errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded)
}

func ceilMiB(n uint64) uint64 { return (n + 1<<20 - 1) >> 20 }

// zstdDecoder decompresses the frames of a run with the library.
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

// close stops the library's goroutines and waits for them.
func (d *zstdDecoder) close() {
	if d.d != nil {
		d.d.Close()
		d.d = nil
	}
}

const (
	frameMagic     = 0xfd2fb528
	skippableMagic = 0x184d2a50 // and the next fifteen numbers
)

func isFrame(head []byte) bool { return binary.LittleEndian.Uint32(head) == frameMagic }
func isSkippable(head []byte) bool {
	return binary.LittleEndian.Uint32(head)&^15 == skippableMagic
}

// walker finds the frames in zstd data as the data is read. It goes from header to header of frames
// and blocks (RFC 8878, section 3.1), and so knows where frames begin. A nil walker finds none.
type walker struct {
	skip     uint64 // bytes before the next header
	need     int    // size of the header that is being collected
	have     int    // bytes of it that have been collected
	head     [headerBytesMax]byte
	state    walkState
	checksum bool   // the frame ends with a checksum
	window   uint64 // the largest window so far
}

// headerBytesMax is the size of the largest frame header: magic number, descriptor, window,
// dictionary, content size.
const headerBytesMax = 4 + 1 + 1 + 4 + 8

type walkState uint8

const (
	atFrame      walkState = iota // before or in the magic number of a frame
	inDescriptor                  // before the descriptor, which determines the header's size
	inHeader
	inSkippable // before or in the size of a skippable frame
	atBlock
	notZstd // the data is not zstd data
)

// walk processes the next bytes and returns the index of the first frame that begins in them, -1 if
// none does.
func (w *walker) walk(p []byte) (start int) {
	start = -1
	if w == nil {
		return start
	}
	for i := 0; i < len(p) && w.state != notZstd; {
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

// incomplete reports whether the input must not end here.
func (w *walker) incomplete() bool {
	return w != nil && (w.skip > 0 || w.have > 0 || w.state != atFrame)
}

// windowMax returns the largest window of all frames so far.
func (w *walker) windowMax() uint64 {
	if w == nil {
		return 0
	}
	return w.window
}

// expect begins a new header of need bytes.
func (w *walker) expect(s walkState, need int) { w.state, w.need, w.have = s, need, 0 }

// grow adds bytes to the header that is being collected.
func (w *walker) grow(s walkState, bytes int) { w.state, w.need = s, w.need+bytes }

// step processes a complete part of a header.
func (w *walker) step() {
	switch w.state {
	case atFrame:
		switch {
		case isFrame(w.head[:]):
			w.grow(inDescriptor, 1)
		case isSkippable(w.head[:]):
			w.grow(inSkippable, 4)
		default:
			w.state = notZstd
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

// Bits of a frame's descriptor.
const (
	singleSegment = 1 << 5
	hasChecksum   = 1 << 2
)

// headerRest returns the number of header bytes behind the descriptor.
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

// header processes a frame's complete header.
func (w *walker) header() {
	d := w.head[4]
	w.checksum = d&hasChecksum != 0
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

// blockHeader processes the header of a block.
func (w *walker) blockHeader() {
	h := uint64(w.head[0]) | uint64(w.head[1])<<8 | uint64(w.head[2])<<16
	last, kind, size := h&1 != 0, h>>1&3, h>>3
	switch kind {
	case 1:
		size = 1 // one byte, repeated
	case 3:
		w.state = notZstd
		return
	}
	w.skip = size
	w.expect(atBlock, 3)
	if last {
		w.expect(atFrame, 4)
	}
	if last && w.checksum {
		w.skip += 4
	}
}
