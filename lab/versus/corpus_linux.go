package versus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/lab/machine"
	"github.com/thresh-dev/thresh/lab/pagecache"
)

// lie says how the bytes of a file came to the disk and into the page cache. The kernel caches a
// file in pieces (folios) whose size depends on that, and a mapping takes a page fault for each
// piece, or for each 64 KiB of small ones.
type lie int

const (
	lieCold     lie = iota // not in the page cache
	lieAppended            // written by small writes, as a log is
	lieCopied              // written in 128 KiB, as cp does
	lieRead                // dropped, and read in order
	lieHalf                // the first half is in the page cache
	lieStriped             // every other 16 MiB is
	lieSparse              // 1 MiB of data in every 16, not in the page cache
)

func (l lie) String() string {
	return [...]string{"cold", "appended", "copied", "read back", "first half cached", "striped", "sparse"}[l]
}

// stays reports whether all bytes are in the page cache. Questions do not change that.
func (l lie) stays() bool { return l == lieAppended || l == lieCopied || l == lieRead }

// writeBytes is the size of the writes that make such a file.
func (l lie) writeBytes() int {
	switch l {
	case lieAppended:
		return 500
	case lieCopied:
		return 128 << 10
	}
	return 1 << 20
}

// corpus is the input of a situation: one file, or several in a folder.
type corpus struct {
	folder string
	files  []*pagecache.File
	bytes  int64
	text   text
	lie    lie
	shm    bool
	laid   bool // files of a lie that stays are in their place
	backed bool // touch free memory before reading cold files
}

// roomLeast is the size up to which files are made however full the disk is: they are removed at once.
const roomLeast = 64 << 20

// lay makes the files of a situation.
func (b *matrix) lay(s *situation) (c *corpus, err error) {
	t, err := s.text()
	if err != nil {
		return nil, err
	}
	c = &corpus{text: t, lie: s.lie, shm: s.shm, backed: !s.shm}
	base := b.Folder
	if s.shm {
		base = b.memory
	}
	if c.folder, err = os.MkdirTemp(base, "situation-"); err != nil {
		return nil, err
	}
	made := c // the result is nil after an error
	defer func() {
		if err != nil {
			err = errors.Join(err, made.remove())
		}
	}()
	total := s.exact
	if s.bytes > 0 {
		total = int64(float64(s.bytes) * float64(b.Bytes) / measureBytes)
	}
	if !s.shm && total > roomLeast {
		if err := machine.Room(b.Folder, total); err != nil {
			return nil, err
		}
	}
	n := max(1, s.files)
	for i := range n {
		name := filepath.Join(c.folder, fmt.Sprintf("%02d", i/100), fmt.Sprintf("%05d.txt", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		size := t.size(total / int64(n))
		if err := write(name, t, size, s.lie); err != nil {
			return nil, err
		}
		file, err := pagecache.Open(name)
		if err != nil {
			return nil, err
		}
		c.files = append(c.files, file)
		c.bytes += file.Bytes
	}
	return c, nil
}

// write makes one file, by writes of the size that its lie asks for, and syncs it: dirty pages would
// be written in the middle of a sample.
func write(name string, t text, size int64, l lie) (err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if l == lieSparse {
		return errors.Join(t.writeSparse(f, size), f.Sync())
	}
	w := &pieces{w: f, size: l.writeBytes()}
	if err := t.write(w, size); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return f.Sync()
}

// pieces writes in pieces of at most size bytes.
type pieces struct {
	w    io.Writer
	size int
}

func (p *pieces) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var wrote int
		wrote, err = p.w.Write(b[n:min(n+p.size, len(b))])
		n += wrote
	}
	return n, err
}

// arrange puts the files where the situation wants them before each sample, and returns which part
// of their bytes is then in the page cache. If that is not what the situation says it tries again, and then fails.
func (c *corpus) arrange() (before float64, err error) {
	for range triesMost {
		if before, err = c.arrangeOnce(); !errors.Is(err, pagecache.ErrLost) {
			break
		}
	}
	return before, err
}

func (c *corpus) arrangeOnce() (before float64, err error) {
	for i := range c.files {
		if err := c.put(i); err != nil {
			return 0, err
		}
	}
	c.laid = true
	if c.backed && !c.lie.stays() {
		if err := backMemory(c.bytes); err != nil {
			return 0, err
		}
	}
	if before, err = c.cached(); err != nil {
		return 0, err
	}
	return before, c.expect(before)
}

// expect returns an error if another part of the bytes is in the page cache than the lie says.
func (c *corpus) expect(before float64) error {
	least, most := 0.0, 0.0
	switch {
	case c.shm && c.lie != lieSparse, c.lie.stays():
		least, most = 1, 1
	case c.shm:
		most = 1 // holes have no pages
	case c.lie == lieHalf, c.lie == lieStriped:
		least, most = 0.45, 0.55
	}
	if before < least || before > most {
		return fmt.Errorf("%s: %w: %.1f %% of the input is in the page cache, want %.0f to %.0f",
			c.lie, pagecache.ErrLost, 100*before, 100*least, 100*most)
	}
	return nil
}

// put puts one file where it belongs.
func (c *corpus) put(i int) error {
	f := c.files[i]
	switch {
	case c.shm:
		return nil // it cannot leave
	case c.lie == lieRead && !c.laid:
		return errors.Join(f.Cold(), f.Warm())
	case c.lie.stays():
		err := f.StillWarm()
		if !errors.Is(err, pagecache.ErrLost) {
			return err
		}
		return c.again(i)
	case c.lie == lieHalf:
		return f.OnlyCached([]source.Range{{Off: 0, End: f.Bytes / 2 &^ 4095}})
	case c.lie == lieStriped:
		return f.OnlyCached(everyOther(f.Bytes))
	}
	return f.Cold()
}

// again makes a file anew that has lost pages: if they were read again, they would no longer lie as
// they were written.
func (c *corpus) again(i int) error {
	f := c.files[i]
	if c.lie == lieRead {
		return errors.Join(f.Cold(), f.Warm())
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name), write(f.Name, c.text, f.Bytes, c.lie)); err != nil {
		return err
	}
	file, err := pagecache.Open(f.Name)
	if err == nil {
		c.files[i] = file
		err = file.StillWarm()
	}
	return err
}

// everyOther returns every other stripe of 16 MiB, or of less in a small file. A power of two keeps the pieces of the
// page cache from crossing its borders, where they could not be dropped.
func everyOther(bytes int64) []source.Range {
	stripe := int64(16 << 20)
	for stripe > 4096 && stripe > bytes/16 {
		stripe /= 2
	}
	return striped(bytes, stripe)
}

// striped returns every other stripe.
func striped(bytes, stripe int64) (out []source.Range) {
	for off := int64(0); off < bytes; off += 2 * stripe {
		out = append(out, source.Range{Off: off, End: min(off+stripe, bytes)})
	}
	return out
}

// cached returns which part of the bytes is in the page cache, 0 to 1.
func (c *corpus) cached() (float64, error) {
	sum := int64(0)
	for _, f := range c.files {
		n, err := f.CachedBytes(f.Whole())
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return float64(sum) / float64(max(c.bytes, 1)), nil
}

// output is the name of a file for what a question writes.
func (c *corpus) output() string { return filepath.Join(c.folder, "output") }

func (c *corpus) remove() error {
	var errs []error
	for _, f := range c.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(c.folder))...)
}

// backMemory touches that much free memory, or half of what is available, and frees it again. The
// host of a virtual machine takes free memory away and gives it back page by page at the next touch,
// which takes several times as long as filling it from the disk. Reads through the page cache would
// pay for that, or not, by chance.
func backMemory(bytes int64) error {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return fmt.Errorf("sysinfo: %w", err)
	}
	const huge = 2 << 20
	bytes = min(bytes, int64(info.Freeram)*int64(info.Unit)/2)
	if bytes < huge {
		return nil
	}
	m, err := unix.Mmap(-1, 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("mmap of %d bytes: %w", bytes, err)
	}
	err = unix.Madvise(m, unix.MADV_HUGEPAGE)
	for i := 0; i < len(m); i += os.Getpagesize() {
		m[i] = 1
	}
	return errors.Join(err, unix.Munmap(m))
}

// each calls f with the bytes of the files in order, in pieces that begin with the last keep bytes of
// the piece before, and the offset of the piece in its file.
func (c *corpus) each(keep int, f func(piece []byte, fresh int, off int64)) error {
	buf := make([]byte, keep+1<<20)
	for _, file := range c.files {
		held := 0
		for off := int64(0); off < file.Bytes; {
			n, err := file.OS().ReadAt(buf[held:held+min(1<<20, int(file.Bytes-off))], off)
			if err != nil && (err != io.EOF || off+int64(n) < file.Bytes) {
				return fmt.Errorf("read %s at %d: %w", file.Name, off, err)
			}
			piece := buf[:held+n]
			f(piece, held, off-int64(held))
			off += int64(n)
			held = copy(buf, bytes.Clone(piece[max(0, len(piece)-keep):]))
		}
	}
	return nil
}
