package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/lab/gen"
)

// data is the folder with the files to search. They are kept between runs.
type data struct {
	folder string
	lock   *os.File
}

// benchFolder is the bench's folder in the user's cache folder.
func benchFolder(cache string) string { return filepath.Join(cache, "thresh", "bench") }

// openData opens the folder, and locks it until the program ends: two concurrent runs would drop each
// other's files from the page cache.
func openData(folder string) (*data, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	lock, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errors.New("another run of the bench uses it")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", folder, err), lock.Close())
	}
	return &data{folder, lock}, nil
}

func (d *data) close() error { return d.lock.Close() }

func (d *data) clean() error { return os.RemoveAll(d.folder) }

// file returns a file with that name and size. If it does not exist, file calls make with the path to
// write to. It returns an error if less than a tenth of the disk would remain free.
func (d *data) file(name string, size int64, make func(path string) error) (*subject, error) {
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
func (d *data) rows(name string, room int64, make func(path string) error) (*subject, error) {
	path := filepath.Join(d.folder, name)
	if _, err := os.Stat(path); err == nil {
		return openSubject(path)
	}
	if err := d.room(room); err != nil {
		return nil, err
	}
	part := path + ".part"
	if err := make(part); err != nil {
		return nil, errors.Join(fmt.Errorf("make %s: %w", path, err), os.RemoveAll(part))
	}
	if err := os.Rename(part, path); err != nil {
		return nil, err
	}
	return openSubject(path)
}

// freeBytesMost is what stays free on a disk at most: a tenth of a large one is more than others need.
const freeBytesMost = 8 << 30

// room returns an error if with so many bytes more a tenth of the disk, or freeBytesMost, would not stay free.
func (d *data) room(bytes int64) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(d.folder, &fs); err != nil {
		return fmt.Errorf("free space in %s: %w", d.folder, err)
	}
	free, all := int64(fs.Bavail)*fs.Bsize, int64(fs.Blocks)*fs.Bsize
	if free-bytes < min(all/10, freeBytesMost) {
		return fmt.Errorf("%s has %s free, too little for %s more; try a smaller --size",
			d.folder, humanize.IBytes(uint64(free)), humanize.IBytes(uint64(bytes)))
	}
	return nil
}

// scaled returns the size of a file that has that many bytes if the haystack has 4 GiB.
func (b *bench) scaled(bytes int64) int64 {
	return int64(float64(bytes) * float64(b.size) / (4 << 30))
}

func (b *bench) haystack() (*subject, error) {
	return b.data.file("haystack", b.size, func(path string) error {
		return gen.Haystack(path, b.size)
	})
}

// planted is the line near the end of the log that the searches look for. What they search for occurs
// nowhere else in the log.
const planted = "2026-01-02T09:41:07.113Z ERROR billing req=7f3a9c01 user=481516234 " +
	"card declined, retry 3 of 3 owner=481516234 ref=KQXT4820193ZW lot=4820KQ193"

const logSeed = 1

// logFile returns the log and the offset of the planted line in it.
func (b *bench) logFile() (*subject, int64, error) {
	s, err := b.logOf(b.scaled(1_500_000_000))
	if err != nil {
		return nil, 0, err
	}
	at, err := s.find([]byte(planted))
	return s, at, err
}

// logOf returns a log of that size.
func (b *bench) logOf(size int64) (*subject, error) {
	return b.data.file(fmt.Sprintf("log-%d", logSeed), size, func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		err = gen.Log(f, size, logSeed, gen.Line{Off: size - plantedFromEnd, Text: planted})
		return errors.Join(err, f.Sync(), f.Close())
	})
}

// plantedFromEnd is the distance of the planted line from the end of the log. It is small, so that a
// search reads nearly all of the log.
const plantedFromEnd = 1 << 20

// find returns the offset of a text in the last part of the file.
func (s *subject) find(text []byte) (int64, error) {
	off := max(0, s.Bytes-2*plantedFromEnd)
	tail, err := io.ReadAll(io.NewSectionReader(s.OS(), off, s.Bytes-off))
	if err != nil {
		return 0, fmt.Errorf("read %s at %d: %w", s.Name, off, err)
	}
	i := bytes.Index(tail, text)
	if i < 0 {
		return 0, fmt.Errorf("%s lacks its planted line; --clean removes the file, "+
			"and the next run makes it again", s.Name)
	}
	return off + int64(i), nil
}

// smallFile returns a text of 1000 bytes whose only "needle" is in its last line.
func (b *bench) smallFile() (*subject, error) {
	const size = 1000
	const end = "\nlast line with a needle\n"
	text := bytes.Repeat([]byte("some words of an ordinary line of text\n"), size)[:size-len(end)]
	return b.data.file("small", size, func(path string) error {
		return os.WriteFile(path, append(text, end...), 0o644)
	})
}

// longLine returns a sparse file with a single line: a hole, and a text at its end.
func (b *bench) longLine(size int64, end string) (*subject, error) {
	return b.data.file("line", size, func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		_, err = f.WriteAt([]byte(end), size-int64(len(end)))
		return errors.Join(err, f.Sync(), f.Close())
	})
}
