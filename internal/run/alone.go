package run

import (
	"runtime"
	"sync"

	"github.com/thresh-dev/thresh/internal/input/decompress"
)

// alone decides which big files a worker searches by itself, before their turn.
//
// Of a plain file all workers together lose time at its start and at its end, where the storage has
// little to read and some of them wait for the others: with files of 10 MB, a third of the time. On a
// compressed file of one member they gain little, and much on one of many members; which of them a
// file is shows only at its end. So a file is searched alone if the others that were met are enough
// work for the other workers meanwhile: if they are at least half as big in all. The first one is left
// for its turn, and so is one that is bigger than all before it, and a plain one that is so big that
// its start and its end hardly matter.
type alone struct {
	most int // files at once

	mu    sync.Mutex
	bytes int64 // of big files that are not finished
	files int   // that are searched alone
}

// aloneBytes is the memory of a search alone: a decompressor, a piece and its context, and hits.
const aloneBytes = 8 << 20

// aloneFiles is how many files are searched alone at once on few processors. While some of the workers
// open and close files, the storage has work by the others.
const aloneFiles = 4

// aloneMost returns how many files may be searched alone at once: one a core, as far as half of the
// memory bound goes. The other half is for the file whose turn it is.
func aloneMost(o *Options) int {
	workers, bytes := o.Workers, o.Memory
	if workers == 0 {
		workers = max(runtime.GOMAXPROCS(0), aloneFiles)
	}
	if bytes == 0 {
		bytes = memoryDefault
	}
	return int(min(int64(workers), bytes/2/aloneBytes))
}

// take reports whether to search a file alone. Finish or passed must follow when it was searched.
func (a *alone) take(f decompress.Format, bytes int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	others := a.bytes
	a.bytes += bytes
	if !suitsOne(f, bytes) || others == 0 || bytes/2 > others || a.files >= a.most {
		return false
	}
	a.files++
	return true
}

// suitsOne reports whether a plain file is small enough, and whether a decompressor's memory is bounded
// by the format. The windows of zstd and xz are as large as the file says, and need the memory that one
// search has.
func suitsOne(f decompress.Format, bytes int64) bool {
	if f == decompress.Plain {
		return bytes <= int64(aloneFileBytesMax.Get())
	}
	return f == decompress.Gzip || f == decompress.Bzip2 || f == decompress.LZ4
}

// finish ends a search alone.
func (a *alone) finish(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes -= bytes
	a.files--
}

// passed ends the search of a file in its turn.
func (a *alone) passed(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes -= bytes
}
