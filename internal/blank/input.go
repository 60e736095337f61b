package blank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/compared"
	"github.com/thresh-dev/thresh/internal/engine/direct"
	"github.com/thresh-dev/thresh/internal/engine/mmap"
	"github.com/thresh-dev/thresh/internal/engine/pread"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/identity"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/journal"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Options say what is asked of an input.
type Options struct {
	Pattern Pattern
	Offset  int64
	Length  *int64 // to the end if it is nil
	Cached  bool   // read through the page cache
	Raw     bool   // take a compressed file as it is
	Workers int    // 0: as many as the device takes
	Limit   int    // how many ranges are listed; at least 1
}

// Input is an open device, file or stream.
type Input struct {
	Name        string
	Identity    identity.Identity
	Range       source.Range // of the bytes to read; a stream's end is unknown
	SectorBytes int64        // unit of the ranges that differ
	Workers     int
	How         string // it is read
	Engine      string // "direct", "mmap", "pread" or "stream"

	file       *source.File
	engine     engine.Engine // nil for a stream
	pieceBytes int64
	options    Options
	release    func() error // ends the claim on a block device
}

// pieceBytes is what a worker reads at a time: one read of the direct engine.
var pieceBytes = threshold.NewMultiple("blank: piece", 1<<20, 4096, 4096)

const (
	// A rotating disk is fastest when it is read in order: one read waits while the other is served.
	workersRotating = 2
	workersDirect   = 16
	// A mapping is fastest in pieces of several of its largest pages.
	mappedPieces = 8
)

// HowDirect is how an input is read where the system allows it.
const HowDirect = "by direct reads, past the page cache"

// FormatError reports that an input is compressed: its bytes are not those of the disk inside.
type FormatError struct{ Name string }

func (e *FormatError) Error() string { return fmt.Sprintf("%s is compressed", e.Name) }

// Hint says what to do.
func (e *FormatError) Hint() string {
	return fmt.Sprintf("decompress it to a pipe, as in zstd -dc %s | thresh blank -; "+
		"--no-decompress checks the bytes as they are", e.Name)
}

// FolderError reports that an input is a folder: what lies below it is files, not a disk.
type FolderError struct{ Name string }

func (e *FolderError) Error() string {
	return fmt.Sprintf("%s is a folder, not a device or an image", e.Name)
}

// Hint says what to do.
func (e *FolderError) Hint() string {
	return fmt.Sprintf("df %[1]s shows the device that it is on; thresh find --nonzero -r %[1]s looks into its files",
		e.Name)
}

// Open opens an input; "-" is standard input.
func Open(name string, stdin *os.File, o Options) (*Input, error) {
	var f *source.File
	var err error
	if name == "-" {
		f, err = source.FromOS(name, stdin)
	} else {
		f, err = source.Open(name)
	}
	if errors.Is(err, failure.ErrDirectory) {
		return nil, &FolderError{name}
	}
	if err != nil {
		return nil, err
	}
	in := &Input{Name: name, file: f, options: o, release: func() error { return nil }}
	if err := in.prepare(); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// NewHeader returns the header of the journal of inputs, which were opened with the same options.
func NewHeader(inputs []*Input) journal.Header {
	o := inputs[0].options
	h := journal.Header{Format: journalFormat, Pattern: o.Pattern.String(), Offset: o.Offset, Length: o.Length,
		Cached: o.Cached}
	for _, in := range inputs {
		h.Inputs = append(h.Inputs, in.Identity)
	}
	return h
}

const journalFormat = "thresh blank journal 1"

// Close closes the input.
func (in *Input) Close() error {
	err := in.release()
	if in.engine != nil {
		err = errors.Join(err, in.engine.Close())
	}
	if in.Name == "-" {
		return err // standard input is the caller's
	}
	return errors.Join(err, in.file.Close())
}

// OS returns the open file.
func (in *Input) OS() *os.File { return in.file.OS() }

// Start returns the summary of nothing, with which a new run begins.
func (in *Input) Start() journal.Summary {
	return journal.Summary{Off: in.Range.Off, End: in.Range.Off}
}

func (in *Input) prepare() error {
	f, o := in.file, in.options
	in.pieceBytes = int64(pieceBytes.Get())
	in.SectorBytes = sectorBytes
	in.Identity = identity.Of(f)
	if f.Kind == source.Stream {
		in.Range = source.Range{Off: o.Offset, End: math.MaxInt64}
		if o.Length != nil {
			in.Range.End = o.Offset + *o.Length
		}
		in.How, in.Engine, in.Workers = "as a stream, in order", "stream", 1
		return nil
	}
	if f.Kind == source.Device && f.Bytes == 0 {
		return fmt.Errorf("%s has 0 bytes: the drive has no medium, or the device is not set up", f.Name)
	}
	if err := in.span(); err != nil {
		return err
	}
	if f.Kind == source.Regular && !o.Raw {
		if err := in.refuseCompressed(); err != nil {
			return err
		}
	}
	if n := int64(in.Identity.LogicalSector); n > 0 {
		in.SectorBytes = n
	}
	if f.Kind == source.Device {
		var claimed bool
		claimed, in.release = identity.Claim(f.Path())
		in.Identity.InUse = !claimed
	}
	return in.open()
}

// sectorBytes is the unit of ranges in inputs without sectors.
const sectorBytes = 512

// span computes the range. A range beyond the end is an error: nobody wants to sign for less than was
// asked for.
func (in *Input) span() error {
	f, o := in.file, in.options
	in.Range = source.Range{Off: o.Offset, End: f.Bytes}
	if o.Offset > f.Bytes {
		return fmt.Errorf("%s: --offset %d is behind its end, at %d", f.Name, o.Offset, f.Bytes)
	}
	if o.Length != nil {
		if *o.Length > f.Bytes-o.Offset {
			return fmt.Errorf("%s: --length %d reaches over its end, at %d", f.Name, *o.Length, f.Bytes)
		}
		in.Range.End = o.Offset + *o.Length
	}
	return nil
}

// refuseCompressed returns an error for a compressed file. An unreadable head is for the check to report.
func (in *Input) refuseCompressed() error {
	head := make([]byte, decompress.HeadBytes)
	n, brought, err := in.file.Head(head)
	if err != nil {
		return nil
	}
	format, err := decompress.RecogniseFile(in.file, head[:n], in.file.Bytes)
	var unsupported *decompress.UnsupportedError
	if format != decompress.Plain || errors.As(err, &unsupported) {
		return &FormatError{in.Name}
	}
	if brought.Len() == 0 {
		return nil
	}
	return in.file.Drop(brought)
}

// open chooses the engine: direct reads, unless the page cache is asked for or there is no other way.
func (in *Input) open() (err error) {
	in.Workers = in.options.Workers
	if in.options.Cached {
		return in.openCached("through the page cache, as asked for with --cached")
	}
	in.engine, err = direct.Open(in.file, engine.Config{BlockBytes: int(in.pieceBytes)})
	var refused *failure.EngineError
	switch {
	case errors.As(err, &refused):
		reason := refused.Reason
		if refused.Err != nil {
			reason += ": " + refused.Err.Error()
		}
		return in.openCached("through the page cache, because " + reason)
	case err != nil:
		return err
	}
	if in.Workers == 0 {
		in.Workers = workersDirect
		if in.Identity.Rotating {
			in.Workers = workersRotating
		}
	}
	in.How, in.Engine = HowDirect, "direct"
	return nil
}

// openCached opens the engines that read through the page cache: a mapping compared with reads, if
// most of the file is cached, and reads otherwise.
func (in *Input) openCached(how string) (err error) {
	if in.Workers == 0 {
		in.Workers = runtime.GOMAXPROCS(0)
	}
	in.How, in.Engine = how, "pread"
	in.engine, err = pread.Open(in.file, engine.Config{BlockBytes: int(in.pieceBytes)}) // whole sectors
	if err != nil {
		return err
	}
	// Where the page cache cannot be queried, reads are never wrong.
	cached, queryErr := in.file.CachedBytes(in.Range)
	if queryErr != nil || cached < in.Range.Len()/2 || cached == 0 {
		return nil
	}
	mapped, err := mmap.Open(in.file, engine.Config{})
	if _, ok := errors.AsType[*failure.EngineError](err); ok {
		return nil
	}
	if err != nil {
		return err
	}
	in.engine, in.Engine = compared.Open(mapped, in.engine, true), "mmap"
	in.pieceBytes *= mappedPieces
	return nil
}

// Changed says how the input has changed since it was opened, "" if it has not. What was read of it
// then says nothing about what it is now.
func (in *Input) Changed() (string, error) {
	if in.file.Kind == source.Stream {
		return "", nil
	}
	return identity.Changed(in.file.Path(), in.Identity)
}

// probeTime is how long storage is probed to find out how close a run came to it.
const probeTime = 200 * time.Millisecond

// probeStorage reads pieces at random places of all inputs at once, as the run did but without looking
// at them, and returns GB/s. It returns 0 if the rate would say nothing: for inputs that are not read
// directly, for rotating disks, which are slower at random places, and for loop devices, since the run has brought
// their file into the page cache.
func probeStorage(ctx context.Context, budget time.Duration, inputs []*Input) (float64, error) {
	for _, in := range inputs {
		if in.Engine != "direct" || in.Identity.Rotating || in.Identity.BackingFile != "" || in.Range.Len() < in.pieceBytes {
			return 0, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	var bytes atomic.Int64
	var mu sync.Mutex
	var errs error
	var wg sync.WaitGroup
	began := time.Now()
	for _, in := range inputs {
		for range in.Workers {
			wg.Go(func() {
				if err := in.probe(ctx, &bytes); err != nil {
					mu.Lock()
					defer mu.Unlock()
					errs = errors.Join(errs, err)
				}
			})
		}
	}
	wg.Wait()
	return float64(bytes.Load()) / time.Since(began).Seconds() / 1e9, errs
}

// probe has one worker read pieces with data until the context is done.
func (in *Input) probe(ctx context.Context, bytes *atomic.Int64) error {
	r, err := in.engine.Reader()
	if err != nil {
		return err
	}
	next := func() (engine.Piece, bool) {
		for ctx.Err() == nil {
			off := in.Range.Off + rand.Int64N(in.Range.Len()-in.pieceBytes+1)
			off -= off % in.pieceBytes
			data, err := in.file.NextData(max(off, in.Range.Off), in.Range.End)
			if err != nil {
				return engine.Piece{}, false
			}
			if n := min(data.Len(), in.pieceBytes); n > 0 {
				return engine.Piece{Off: data.Off, Len: int(n)}, true
			}
		}
		return engine.Piece{}, false
	}
	err = r.Run(next, func(_ engine.Piece, b engine.Block, _ bool) bool {
		bytes.Add(int64(b.Len))
		return ctx.Err() == nil
	})
	return errors.Join(err, r.Close())
}
