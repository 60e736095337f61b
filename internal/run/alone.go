package run

import (
	"runtime"
	"sync"

	"github.com/thresh-dev/thresh/internal/input/decompress"
)

// alone decides which big compressed files a worker searches by itself, before their turn.
//
// All workers together gain little on a file of one member, and much on one of many members. Which
// of them a file is shows only at its end. So a file is searched alone if the others that were met
// are enough work for the other workers meanwhile: if they are at least half as big in all. The
// first one is left for its turn, and so is one that is bigger than all before it.
type alone struct {
	most int // files at once

	mu          sync.Mutex
	bytes       int64 // of big compressed files that are not finished
	files       int   // that are searched alone
	substitutes int   // workers that were started for those
}

// aloneBytes is the memory of a search alone: a decompressor, a piece and its context, and hits.
const aloneBytes = 8 << 20

// aloneMost returns how many files may be searched alone at once: one a core, as far as half of the
// memory bound goes. The other half is for the file whose turn it is.
func aloneMost(o *Options) int {
	workers, bytes := o.Workers, o.Memory
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
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
	if !needsLittle(f) || others == 0 || bytes/2 > others || a.files >= a.most {
		return false
	}
	a.files++
	return true
}

// needsLittle reports whether a decompressor's memory is bounded by the format. The windows of zstd
// and xz are as large as the file says, and need the memory that one search has.
func needsLittle(f decompress.Format) bool {
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

// substitute starts a worker for one that now searches a file alone, if fewer open files than
// may search.
func (m *manyRun) substitute() {
	m.alone.mu.Lock()
	defer m.alone.mu.Unlock()
	if m.openers+m.alone.substitutes < m.alone.most {
		m.alone.substitutes++
		m.wg.Go(m.work)
	}
}
