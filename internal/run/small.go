package run

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/receipt"
)

var (
	// A file up to this size is read and searched by one worker in one go. Mapping it would take longer:
	// 1,000 files of 1 MB took 0.17 s, and read in one go 0.10 s.
	smallBytesMax = threshold.New("many: small file", 1<<20, 1)
	// A compressed file up to this size is decompressed by one worker.
	compressedSmallBytesMax = threshold.New("many: small compressed file", 4<<20, 1)
	// The size from which on reading a file takes longer than opening it, if it comes from storage. Then more workers
	// read at once than open small files best.
	storageBytes = threshold.New("many: file that more workers start for", 64<<10, 1)
)

// smallMost returns the most bytes of a file that is read in one go: the buffers of that many workers take
// an eighth of the memory bound at most, or are as small as is useful.
func smallMost(o *Options, workers int) int {
	least := min(smallBytesMax.Get(), storageBytes.Get())
	return max(int(min(int64(smallBytesMax.Get()), o.MemoryBytes/8/int64(workers))), least)
}

// neutral reports whether small files, too, leave the page cache as it was.
func (m *many) neutral() bool { return m.keep.policy(&m.options, 0) == options.CacheNeutral }

// worker is what a worker keeps from one small file to the next.
type worker struct {
	reader *source.SmallReader
	file   source.File
	whole  whole
}

// search searches the inputs of a batch, up to one that waits for its turn.
func (b *batch) search(w *worker) error {
	for ; b.searched < len(b.tasks); b.searched++ {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		t := &b.tasks[b.searched]
		if t.err != nil {
			continue
		}
		if err := b.searchTask(w, t); err != nil || b.together {
			return err
		}
	}
	return b.ctx.Err() // what was cut short is not passed on
}

// forAll leaves the current task to all workers together, when its turn has come.
func (b *batch) forAll() {
	b.share()
	b.together = true
}

// searchTask searches an input, or leaves it to all workers.
func (b *batch) searchTask(w *worker, t *task) error {
	o := &b.options
	if t.name == standardInput || b.callbacks.FS != nil || b.callbacks.isRemote(t.name) {
		b.forAll()
		return nil
	}
	if b.neutral() || o.Engine != plan.Auto || o.Times != nil {
		if info, err := os.Stat(t.name); err == nil && info.Mode().IsRegular() {
			return b.searchByName(t)
		}
	}
	data, err := w.reader.Read(t.name)
	switch {
	case !b.callbacks.Raw && mayBeCompressed(t.name, data, err) || err == source.ErrNotSmall && len(data) > 0:
		return b.searchByName(t)
	case err == source.ErrNotSmall:
		b.forAll()
		return nil
	case err != nil:
		t.err = err
		return nil
	}
	size := int64(len(data))
	b.keep.policy(o, size) // counted; these bytes have been read
	if size > int64(storageBytes.Get()) {
		b.start(b.many.single.most)
	}
	data = clip(data, o)
	n := int64(len(data))
	if o.Progress != nil {
		o.Progress.Add(n)
	}
	w.file = source.File{Name: t.name, Kind: source.Regular, Bytes: size}
	w.whole = whole{file: &w.file, off: min(o.Offset, size), data: data, limit: o.Limit, stop: &b.stop}
	return b.answers.small(t, &w.whole)
}

// clip returns the range of a file's bytes that the options ask for, as far as the file goes.
func clip(data []byte, o *Options) []byte {
	data = data[min(o.Offset, int64(len(data))):]
	if o.Length != nil {
		data = data[:min(*o.Length, int64(len(data)))]
	}
	return data
}

// mayBeCompressed reports whether a file may have to be decompressed, or may be the member of an
// archive. Data is the beginning of the file, or all of it.
func mayBeCompressed(name string, data []byte, err error) bool {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return strings.Contains(name, ":")
	case err != nil && (err != source.ErrNotSmall || len(data) == 0):
		return false // opening and closing a FIFO would end its writer
	}
	format, _, unsupported := decompress.Recognise(data, true)
	_, promised := decompress.ByName(name)
	return format != decompress.Plain || unsupported != nil || promised
}

// searchByName searches a file that is compressed, or not to be read in one go, with one worker, or leaves it to all:
// many files keep the processors busier than the parts of each would.
func (b *batch) searchByName(t *task) error {
	in, err := b.callbacks.Open(t.name)
	var archive *failure.ArchiveError
	switch {
	case b.callbacks.Archives && errors.As(err, &archive):
		b.forAll()
	case err != nil:
		t.err = err
	default:
		return b.searchOpen(t, in)
	}
	return nil
}

// searchOpen does that with an input that is open, and closes it.
func (b *batch) searchOpen(t *task, in *Input) error {
	format, bytes, small := decompress.Plain, in.file.Bytes, b.smallMax
	if in.Compressed() {
		format, bytes, small = in.compressed.format, in.compressed.file.Bytes, compressedSmallBytesMax.Get()
		b.share()
	} else if in.file.Kind != source.Regular { // it was replaced
		b.forAll()
		return in.Close()
	}
	if bytes > int64(small) {
		if !b.many.single.take(format, bytes) {
			t.bytes = bytes
			b.forAll()
			var err error
			if b.neutral() {
				err = in.dropBrought()
			}
			return errors.Join(err, in.Close())
		}
		defer b.many.single.finish(bytes)
		b.share()
	}
	o := b.options
	o.Workers, o.Cache = 1, b.keep.policy(&o, in.bytesRead(&o))
	err := b.searchInput(t, in, o)
	for _, r := range []*receipt.Receipt{&t.report.Receipt, &t.lines.Receipt} {
		for i := range r.Engines {
			r.Engines[i].Workers = b.workers // others search other files
		}
	}
	return err
}

// searchInput searches an open input, as far as it goes, and closes it.
func (b *batch) searchInput(t *task, in *Input, o Options) error {
	if n, ok := in.Bytes(); ok {
		o.clip(n)
	}
	failed := b.answers.input(t, in, o)
	err := in.Close()
	if failed != nil {
		return errors.Join(failed, err)
	}
	t.err = errors.Join(t.err, err)
	return nil
}

// searchTogether searches an input with all workers, in its turn, and passes on what they find at once.
func (b *batch) searchTogether(t *task) error {
	defer b.many.single.passed(t.bytes)
	in, err := b.callbacks.Open(t.name)
	var archive *failure.ArchiveError
	switch {
	case errors.As(err, &archive) && b.callbacks.Archives && archive.Members != "":
		return b.searchArchive(t.name)
	case err != nil:
		return b.answers.pass(&task{name: t.name, err: err})
	}
	return b.passInput(in)
}

// passInput searches an open input with all workers, passes on what they find, and closes it.
func (b *batch) passInput(in *Input) error {
	if b.callbacks.Begin != nil {
		b.callbacks.Begin(in)
	}
	o := b.options
	o.Cache = b.keep.policy(&o, in.bytesRead(&o))
	t := task{name: in.Name()}
	if err := b.searchInput(&t, in, o); err != nil {
		return err
	}
	if err := b.answers.pass(&t); err != nil {
		return err
	}
	return b.ctx.Err()
}

// searchArchive searches the members of an archive one after the other.
func (b *batch) searchArchive(name string) error {
	fail := func(name string, err error) error { return b.answers.pass(&task{name: name, err: err}) }
	f, err := b.callbacks.source(name)
	if err != nil {
		return fail(name, err)
	}
	members, err := decompress.AllMembers(f, f.Bytes)
	if err != nil {
		return fail(name, errors.Join(formatError(name, err), f.Close()))
	}
	for member, err := range members {
		full := name + ":" + member.Name
		if err != nil {
			err = fail(full, &failure.MemberError{Archive: name, Member: member.Name, Err: err})
		} else {
			in := memberInput(f, full, member.Member)
			in.borrowed = true
			err = b.passInput(in)
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}
