package versus

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab/machine"
	"github.com/thresh-dev/thresh/lab/pagecache"
)

// data is the folder with the files to search. They are kept between runs.
type data struct {
	folder string
	opened []*pagecache.File
}

// open opens a file until close.
func (d *data) open(path string) (*pagecache.File, error) {
	f, err := pagecache.Open(path)
	if err == nil {
		d.opened = append(d.opened, f)
	}
	return f, err
}

func (d *data) close() error { return eachFile(d.opened, (*pagecache.File).Close) }

// file returns a file with that name and size. If it does not exist, file calls make with the path to
// write to. It returns an error if less than a tenth of the disk would remain free.
func (d *data) file(name string, size int64, make func(path string) error) (*pagecache.File, error) {
	name = fmt.Sprintf("%s-%d", name, size)
	info, err := os.Stat(filepath.Join(d.folder, name))
	if err == nil && info.Size() != size {
		if err := os.Remove(filepath.Join(d.folder, name)); err != nil {
			return nil, err
		}
	}
	return d.rows(name, size, make)
}

// rows is like file, but identifies the file by name alone: a maker of whole rows only knows a maximum
// of the size.
func (d *data) rows(name string, room int64, make func(path string) error) (*pagecache.File, error) {
	path := filepath.Join(d.folder, name)
	if err := d.once(path, room, make); err != nil {
		return nil, err
	}
	return d.open(path)
}

// once makes a file or a folder that does not exist.
func (d *data) once(path string, room int64, make func(part string) error) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := machine.Room(d.folder, room); err != nil {
		return err
	}
	part := path + ".part"
	err := os.RemoveAll(part)
	if err == nil {
		err = make(part)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("make %s: %w", path, err), os.RemoveAll(part))
	}
	return os.Rename(part, path)
}

// written makes a file by writing to it.
func written(write func(f *os.File) error) func(path string) error {
	return func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Sync(), f.Close())
	}
}

// file returns a file of that size, which is written if it is not there.
func (b *bench) file(name string, size int64, write func(f *os.File) error) *pagecache.File {
	return try(b.data.file(name, size, written(write)))
}

// rows returns a file of that name, of at most so many bytes, which is written if it is not there.
func (b *bench) rows(name string, room int64, write func(w io.Writer) error) *pagecache.File {
	return try(b.data.rows(name, room, written(func(f *os.File) error { return write(f) })))
}

// scaled returns the size of a file that has that many bytes if the haystack has 4 GiB.
func (b *bench) scaled(bytes int64) int64 {
	return int64(float64(bytes) * float64(b.Bytes) / (4 << 30))
}

func (b *bench) haystack() *pagecache.File {
	return try(b.data.file("haystack", b.Bytes, func(path string) error { return gen.Haystack(path, b.Bytes) }))
}

// needleOffset returns the offset of the haystack's nonzero word.
func (b *bench) needleOffset() int64 { return b.Bytes - 8 }

// planted is the line near the end of the log that the searches look for. What they search for occurs
// nowhere else in the log.
const planted = "2026-01-02T09:41:07.113Z ERROR billing req=7f3a9c01 user=481516234 " +
	"card declined, retry 3 of 3 owner=481516234 ref=KQXT4820193ZW lot=4820KQ193"

const logSeed = 1

// log returns the log.
func (b *bench) log() *pagecache.File { return b.logOf(1_500_000_000) }

// logOf returns a log of that size, scaled.
func (b *bench) logOf(bytes int64) *pagecache.File {
	size := b.scaled(bytes)
	return b.file(fmt.Sprintf("log-%d", logSeed), size, func(f *os.File) error {
		return gen.Log(f, size, logSeed, gen.Line{Off: size - plantedFromEnd, Text: planted})
	})
}

// plantedFromEnd is the distance of the planted line from the end of the log. It is small, so that a
// search reads nearly all of the log.
const plantedFromEnd = 1 << 20

// find returns the offset of a text in the last part of the file.
func find(s *pagecache.File, text string) int64 {
	off := max(0, s.Bytes-2*plantedFromEnd)
	i := bytes.Index(content(s, off, s.Bytes-off), []byte(text))
	if i < 0 {
		check(fmt.Errorf("%s lacks its planted line; thresh lab clean removes the file, "+
			"and the next run makes it again", s.Name))
	}
	return off + int64(i)
}

// content returns so many bytes of a file from an offset on.
func content(s *pagecache.File, off, n int64) []byte {
	text, err := io.ReadAll(io.NewSectionReader(s.OS(), off, n))
	if err != nil {
		check(fmt.Errorf("read %s at %d: %w", s.Name, off, err))
	}
	return text
}

// smallFile returns a text of 1000 bytes whose only "needle" is in its last line.
func (b *bench) smallFile() *pagecache.File {
	const size = 1000
	const end = "\nlast line with a needle\n"
	text := bytes.Repeat([]byte("some words of an ordinary line of text\n"), size)[:size-len(end)]
	return b.file("small", size, func(f *os.File) error {
		_, err := f.Write(append(text, end...))
		return err
	})
}

// random writes so many bytes that a seed determines.
func random(w io.Writer, size int64, seed [32]byte) error {
	_, err := io.CopyN(w, rand.NewChaCha8(seed), size)
	return err
}

// tenEvery is the distance between tens in the file of numbers.
const tenEvery = 167

// numbers returns a file of int32 in which every tenEvery-th is 10, and the number of tens.
func (b *bench) numbers(size int64) (*pagecache.File, int64) {
	size &^= 3
	file := b.file("numbers", size, func(f *os.File) error {
		w := bufio.NewWriterSize(f, 1<<20)
		var word [4]byte
		for i := range uint32(size / 4) {
			value := i*2654435761 | 1<<8 // anything but 10
			if i%tenEvery == 0 {
				value = 10
			}
			binary.LittleEndian.PutUint32(word[:], value)
			w.Write(word[:]) // Flush returns the error
		}
		return w.Flush()
	})
	return file, (size/4 + tenEvery - 1) / tenEvery
}

// occurrences counts a text in a file with a plain loop.
func occurrences(s *pagecache.File, text string) (n int64) {
	const blockBytes = 1 << 20
	for off := int64(0); off < s.Bytes; off += blockBytes {
		n += int64(bytes.Count(content(s, off, min(int64(blockBytes+len(text)-1), s.Bytes-off)), []byte(text)))
	}
	return n
}

// linesOf returns how many lines a file has: its last line may have no line feed.
func linesOf(s *pagecache.File) int64 {
	lines := occurrences(s, "\n")
	if s.Bytes > 0 && content(s, s.Bytes-1, 1)[0] != '\n' {
		lines++
	}
	return lines
}

const (
	treeFolders     = 100
	treeFiles       = 100_000
	treeFileBytes   = 4096
	treeWord        = "ERROR"
	treeWordInEvery = 10 // files
)

// treeFile returns the name of a file of a tree.
func treeFile(i int) string { return fmt.Sprintf("%03d/%05d.log", i%treeFolders, i) }

// tree returns a folder with many small files. A tenth of them contain the word, once each.
func (b *bench) tree() string { return b.treeOf("tree", false) }

// treeOf returns such a folder, or one in which a byte of each treeChangedEvery-th file is another one.
func (b *bench) treeOf(name string, changed bool) string {
	folder := filepath.Join(b.data.folder, name)
	line := []byte("some words of an ordinary line of text\n")
	text := bytes.Repeat(line, treeFileBytes/len(line)+1)[:treeFileBytes]
	check(b.data.once(folder, treeFiles*treeFileBytes, func(part string) error {
		for i := range treeFiles {
			name := filepath.Join(part, treeFile(i))
			if i < treeFolders {
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					return err
				}
			}
			content := bytes.Clone(text)
			if i%treeWordInEvery == 0 {
				copy(content[i%(treeFileBytes-len(treeWord)):], treeWord)
			}
			if changed && i%treeChangedEvery == 0 {
				content[i%treeFileBytes] ^= 1
			}
			if err := os.WriteFile(name, content, 0o644); err != nil {
				return err
			}
		}
		return nil
	}))
	return folder
}
