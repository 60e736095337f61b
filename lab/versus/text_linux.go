package versus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/thresh-dev/thresh/lab/gen"
	"github.com/thresh-dev/thresh/lab/pagecache"
)

// text is what the files of situations contain: a block, over and over, with a few texts laid over it.
// The words of one block are as varied as a scan needs; making a gigabyte of new ones would take
// longer than the questions.
type text struct {
	block  []byte
	rows   bool   // only whole blocks: a file must not end within a row
	early  string // overwrites what is near the start
	late   string // overwrites what is near the end
	nEarly int64  // offset of early
}

// What is found early, late and never. Not one of them is in the blocks.
const (
	earlyText = "EARLY-7f3a9c01"
	lateText  = "LATE-481516234"
	noText    = "NOWHERE-4820193"
)

const textBytes = 8 << 20

var logText = sync.OnceValues(func() (text, error) {
	var b bytes.Buffer
	err := gen.Log(&b, textBytes, logSeed)
	return text{block: b.Bytes(), early: earlyText, late: lateText, nEarly: 40}, err
})

var rowText = sync.OnceValues(func() (text, error) {
	var b bytes.Buffer
	err := gen.OrdersPlain(&b, 1<<20, logSeed)
	_, rows, _ := bytes.Cut(b.Bytes(), []byte("\n")) // without the header: blocks are repeated
	return text{block: rows, rows: true}, err
})

var jsonText = sync.OnceValues(func() (text, error) {
	var b bytes.Buffer
	err := gen.JSON(&b, 1<<20, logSeed)
	return text{block: b.Bytes(), rows: true}, err
})

// size returns the size of a file that may have so many bytes.
func (t text) size(bytes int64) int64 {
	if !t.rows {
		return bytes
	}
	n := int64(len(t.block))
	return max(bytes/n, 1) * n
}

// write writes a file of that size.
func (t text) write(w io.Writer, size int64) error {
	for off := int64(0); off < size; off += int64(len(t.block)) {
		n := min(int64(len(t.block)), size-off)
		block := t.block[:n]
		if off <= t.nEarly || size-off-n <= t.nLate(size) {
			block = bytes.Clone(block)
			lay(block, t.early, t.nEarly-off)
			lay(block, t.late, size-t.nLate(size)-off)
		}
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return nil
}

// nLate is the distance of late from the end of a file.
func (t text) nLate(size int64) int64 { return min(64<<10, size/4) }

// lay writes text over the block at off, where both overlap.
func lay(block []byte, text string, off int64) {
	if off < 0 && -off < int64(len(text)) {
		text, off = text[-off:], 0
	}
	if off >= 0 && off < int64(len(block)) {
		copy(block[off:], text)
	}
}

// writeSparse writes the first MiB of every 16, and leaves holes between.
func (t text) writeSparse(f *os.File, size int64) error {
	name, data := f.Name(), t.block[:min(len(t.block), 1<<20)]
	g, err := os.OpenFile(name, os.O_WRONLY, 0) // f appends
	if err != nil {
		return err
	}
	err = g.Truncate(size)
	for off := int64(0); off < size && err == nil; off += 16 << 20 {
		_, err = g.WriteAt(data[:min(int64(len(data)), size-off)], off)
	}
	return errors.Join(err, g.Close())
}

// Plain loops over the files say what the answers are. They know nothing of thresh.

func wantLines(c *corpus) (string, error) {
	lines := 0
	for _, f := range c.files {
		one := &corpus{files: []*pagecache.File{f}}
		last := byte('\n')
		err := one.each(0, func(piece []byte, _ int, _ int64) {
			lines += bytes.Count(piece, []byte("\n"))
			last = piece[len(piece)-1]
		})
		if err != nil {
			return "", err
		}
		if last != '\n' {
			lines++
		}
	}
	return fmt.Sprint(lines), nil
}

func wantNonzero(c *corpus) (string, error) {
	n := 0
	err := c.each(0, func(piece []byte, _ int, _ int64) { n += len(piece) - bytes.Count(piece, []byte{0}) })
	return fmt.Sprint(n), err
}

// wantCount counts occurrences of a text that does not overlap itself.
func wantCount(text string) func(*corpus) (string, error) {
	return func(c *corpus) (string, error) {
		n := 0
		err := c.each(len(text)-1, func(piece []byte, _ int, _ int64) { n += bytes.Count(piece, []byte(text)) })
		return fmt.Sprint(n), err
	}
}

// wantFirst returns the offset of the first occurrence, "" if there is none.
func wantFirst(text string) func(*corpus) (string, error) {
	return func(c *corpus) (string, error) {
		at := ""
		err := c.each(len(text)-1, func(piece []byte, _ int, off int64) {
			if i := bytes.Index(piece, []byte(text)); i >= 0 && at == "" {
				at = fmt.Sprint(off + int64(i))
			}
		})
		return at, err
	}
}
