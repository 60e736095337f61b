// Package catalog lists the engines: a row has all that the plan, the run and the command line know of one. A new
// engine is a package with its tests, a row here, and its line in the import graph.
package catalog

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/direct"
	"github.com/thresh-dev/thresh/internal/engine/memory"
	"github.com/thresh-dev/thresh/internal/engine/mmap"
	"github.com/thresh-dev/thresh/internal/engine/pread"
	"github.com/thresh-dev/thresh/internal/engine/ranges"
	"github.com/thresh-dev/thresh/internal/engine/stream"
	"github.com/thresh-dev/thresh/internal/engine/uring"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Descriptor describes an engine.
type Descriptor struct {
	Name string // in flags, options and receipts
	Only bool   // it reads inputs of a kind that no other reads, so people cannot ask for it
	Once bool   // bytes come once and in order, so any input can be read
	File bool   // the input must be a file of the system that has bytes
	Past bool   // reads go past the page cache, and leave it as it is

	Open func(*source.File, engine.Config) (engine.Engine, error)
	// Probe returns why Open would refuse a file, a *failure.EngineError; nil if Open finds out at once.
	Probe func(*source.File) error

	// PieceBytes is the best size of a piece; nil if the plan decides. Ahead is the context of each piece.
	PieceBytes func(cached bool, ahead int) int
	// BufferBytes is the memory of one worker's buffers; nil if it has none.
	BufferBytes func(c engine.Config) int64
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// All has the engines, those that people may ask for first.
var All = [...]*Descriptor{
	{Name: "pread", Open: pread.Open,
		// A piece is handed out as a whole and read in blocks that fit the L2 cache. A piece of uncached bytes is one
		// block. Then the readers of a descriptor go through the file nearly in order, and the kernel reads ahead in
		// large requests into large folios. With larger pieces it sees leaps: a file read so took 9,600 faults a GiB
		// when it was mapped, not 750.
		PieceBytes: func(cached bool, _ int) int {
			if cached {
				return readPieceBytes.Get()
			}
			return coldPieceBytes.Get()
		},
		// A block of 1 MiB or four times the context, rounded up to whole huge pages.
		BufferBytes: func(c engine.Config) int64 { return 2*mib + 5*int64(c.AheadBytes) },
	},
	{Name: "mmap", File: true, Open: mmap.Open, PieceBytes: mapPiece},
	{Name: "uring", File: true, Past: true, Open: uring.Open, Probe: uring.Probe,
		PieceBytes: func(bool, int) int { return readPieceBytes.Get() },
		BufferBytes: func(c engine.Config) int64 {
			return int64(c.Depth) * int64(c.BlockBytes+c.AheadBytes+8*kib)
		},
	},
	{Name: "stream", Once: true, Open: stream.Open,
		// As large as the largest pipe buffer, or several times the context, because the context is copied from each
		// piece to the next.
		PieceBytes:  func(_ bool, ahead int) int { return max(streamPieceBytes.Get(), 4*ahead) },
		BufferBytes: func(c engine.Config) int64 { return int64(c.PieceBytes) + 2*int64(c.AheadBytes) },
	},
	// Of two inputs that are compared; uring reads one.
	{Name: "direct", Only: true, File: true, Past: true, Open: direct.Open,
		BufferBytes: func(c engine.Config) int64 { return int64(c.BlockBytes+c.AheadBytes) + 16*kib },
	},
	{Name: "memory", Only: true, Open: memory.Open, PieceBytes: mapPiece},
	{Name: "ranges", Only: true, Open: ranges.Open,
		// The block, and what the connection takes: buffers of the transport and of encryption.
		BufferBytes: func(c engine.Config) int64 { return int64(c.BlockBytes) + int64(c.AheadBytes) + 192*kib },
	},
}

// Pieces may have any size. The minima only keep tests short.
var (
	// A large folio is mapped whole if a piece covers it: 2 MiB on x86-64.
	mapPieceBytes    = threshold.New("mmap: piece", 2*mib, 64)
	readPieceBytes   = threshold.New("pread: piece", 2*mib, 64)
	coldPieceBytes   = threshold.New("pread: piece of uncached bytes", 1*mib, 64)
	streamPieceBytes = threshold.New("stream: piece", 1*mib, 16)
)

func mapPiece(bool, int) int { return mapPieceBytes.Get() }

// Named returns the engine of that name, nil if there is none.
func Named(name string) *Descriptor {
	for _, d := range All {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Names returns the names of the engines that people may ask for.
func Names() (names []string) {
	for _, d := range All {
		if !d.Only {
			names = append(names, d.Name)
		}
	}
	return slices.Clip(names)
}
