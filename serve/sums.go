package serve

import (
	"hash/crc32"
	"io"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/internal/net/docroot"
)

// sums keeps the checksums of files in zip archives: the directory at the end of an archive has
// those of all files, also if a client asks for nothing else.
type sums struct {
	mu        sync.Mutex
	known     map[sumKey]uint32
	computing chan struct{} // semaphore: a file may be big
}

// sumKey names the path, too, because inodes have no numbers on every system.
type sumKey struct {
	path  string
	state docroot.State
}

const (
	sumsMax        = 1 << 18 // about 40 MB
	sumsAtOnce     = 2
	sumBufferBytes = 256 << 10
)

func newSums() sums {
	return sums{known: map[sumKey]uint32{}, computing: make(chan struct{}, sumsAtOnce)}
}

// of returns the CRC-32 of the file at path, in the state that item describes. compute writes its
// content.
func (s *sums) of(
	path string, item *docroot.Item, compute func(path string, item *docroot.Item, sum io.Writer) error,
) (uint32, error) {
	key := sumKey{path, item.State()}
	s.mu.Lock()
	sum, known := s.known[key]
	s.mu.Unlock()
	if known {
		return sum, nil
	}
	s.computing <- struct{}{}
	defer func() { <-s.computing }()
	young := item.Young(time.Now())
	hash := crc32.NewIEEE()
	if err := compute(path, item, hash); err != nil {
		return 0, err
	}
	if young { // it may change once more without a new time
		return hash.Sum32(), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for old := range s.known {
		if len(s.known) < sumsMax {
			break
		}
		delete(s.known, old)
	}
	s.known[key] = hash.Sum32()
	return hash.Sum32(), nil
}
