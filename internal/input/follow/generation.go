package follow

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"
)

// identity tells files apart: by device and inode, and by the time of birth if an inode is used again.
type identity struct {
	info os.FileInfo
	born int64 // 0 if the file system does not know
}

func (a identity) same(b identity) bool { return os.SameFile(a.info, b.info) && a.born == b.born }

// generation is one of the files that the path was.
type generation struct {
	identity
	f      *os.File
	off    int64     // up to there it was read
	head   []byte    // what it begins with
	tail   []byte    // what was read last
	at     time.Time // when all of it was read
	ended  time.Time // when another file had taken its place
	doubt  *doubt    // it may have been truncated
	failed bool      // a read failed
}

// sampleBytes is how much of the head and the tail are kept, to know the file again.
const sampleBytes = 256

func (g *generation) size() int64 {
	info, err := g.f.Stat()
	if err != nil {
		return 0 // the next read reports it
	}
	return info.Size()
}

// begin goes to so many lines before the end of the file. A line without its end counts.
func (g *generation) begin(lines int) error {
	size := g.size()
	if lines == 0 {
		return g.seek(size)
	}
	block := make([]byte, 16<<10)
	for off := size; off > 0; {
		from := max(off-int64(len(block)), 0)
		b := block[:off-from]
		if _, err := g.f.ReadAt(b, from); err != nil {
			return err
		}
		for end := len(b); end > 0; {
			i := bytes.LastIndexByte(b[:end], '\n')
			if i < 0 {
				break
			}
			if from+int64(i)+1 != size {
				lines--
			}
			if lines == 0 {
				return g.seek(from + int64(i) + 1)
			}
			end = i
		}
		off = from
	}
	return g.seek(0)
}

// seek sets where reading begins.
func (g *generation) seek(off int64) error {
	head := make([]byte, min(sampleBytes, g.size()))
	tail := make([]byte, min(sampleBytes, off))
	_, headErr := g.f.ReadAt(head, 0)
	_, tailErr := g.f.ReadAt(tail, off-int64(len(tail)))
	g.off, g.head, g.tail, g.at = off, head, tail, time.Now()
	return errors.Join(headErr, tailErr)
}

// read reads what is there. It reads nothing if the file is not what it was.
func (g *generation) read(p []byte) (int, error) {
	if g.doubt != nil {
		return 0, nil
	}
	now := time.Now()
	n, err := g.f.ReadAt(p, g.off)
	if err != nil && err != io.EOF {
		return 0, err
	}
	if n == 0 && g.size() >= g.off || n > 0 && g.has(g.tail, g.off-int64(len(g.tail))) {
		if n < len(p) {
			g.at = now
		}
		g.passed(p[:n])
		return n, nil
	}
	g.doubt = newDoubt(g)
	return 0, nil
}

// passed notes what was read.
func (g *generation) passed(b []byte) {
	if have := int64(len(g.head)); have < sampleBytes && have >= g.off && g.off+int64(len(b)) > have {
		g.head = append(g.head, b[have-g.off:min(int64(len(b)), sampleBytes-g.off)]...)
	}
	g.off += int64(len(b))
	if len(b) < sampleBytes {
		b = append(g.tail, b...)
	}
	g.tail = append(g.tail[:0], b[max(len(b)-sampleBytes, 0):]...)
}

// has reports whether the file has these bytes at an offset.
func (g *generation) has(sample []byte, off int64) bool {
	b := make([]byte, len(sample))
	n, _ := g.f.ReadAt(b, off) // after an error there are fewer
	return n == len(b) && bytes.Equal(b, sample)
}
