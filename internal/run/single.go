package run

import (
	"runtime"
	"sync"

	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// singleWorker decides which big files a worker searches by itself, before their turn.
//
// Of a plain file all workers together lose time at its start and at its end, where the storage has
// little to read and some of them wait for the others: with files of 10 MB, a third of the time. On a
// compressed file of one member they gain little, and much on one of many members; which of them a
// file is shows only at its end. So one worker gets a file if the others that were met are enough
// work for the other workers meanwhile: if they are at least half as big in all. The first one is left
// for its turn, and so is one that is bigger than all before it, and a plain one that is so big that
// its start and its end hardly matter.
type singleWorker struct {
	most           int  // files at once
	compressedOnly bool // what is found in a plain file may be as much as the file

	mu    sync.Mutex
	bytes int64 // of big files that are not finished
	files int   // that one worker searches
}

// singleFileBytesMax is the size up to which a plain file may be searched by one worker while the others search other
// files.
var singleFileBytesMax = threshold.New("many: file for one worker", 64<<20, 1)

// singleBytes is the memory of one such search: a decompressor, a piece and its context, and hits.
const singleBytes = 8 << 20

// singleFiles is how many files have a worker of their own at once on few processors. While some of the workers
// open and close files, the storage has work by the others.
const singleFiles = 4

// singleMost returns how many files may have a worker of their own: one a core, as far as half of the
// memory bound goes. The other half is for the file whose turn it is.
func singleMost(o *Options) int {
	workers, bytes := o.Workers, o.MemoryBytes
	if workers == 0 {
		workers = max(runtime.GOMAXPROCS(0), singleFiles)
	}
	if bytes == 0 {
		bytes = memoryDefault
	}
	return int(min(int64(workers), bytes/2/singleBytes))
}

// take reports whether one worker is to search a file. Finish or passed must follow when it was searched.
func (a *singleWorker) take(f decompress.Format, bytes int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	others := a.bytes
	a.bytes += bytes
	if !a.suits(f, bytes) || others == 0 || bytes/2 > others || a.files >= a.most {
		return false
	}
	a.files++
	return true
}

// suits reports whether a plain file is small enough, and whether a decompressor's memory is bounded: one that is not
// needs the memory that one search has.
func (a *singleWorker) suits(f decompress.Format, bytes int64) bool {
	if f == decompress.Plain {
		return !a.compressedOnly && bytes <= int64(singleFileBytesMax.Get())
	}
	return f.Bounded()
}

// finish ends such a search.
func (a *singleWorker) finish(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes -= bytes
	a.files--
}

// passed ends the search of a file in its turn.
func (a *singleWorker) passed(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes -= bytes
}
