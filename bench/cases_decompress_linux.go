package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// compression is a way of compressing the log.
type compression struct {
	suffix string
	write  func(w io.Writer, block []byte) error // writes a member or frame
	// The number of bytes in each member or frame; 0 means a single one with everything.
	blockBytes int
	// The number of bytes of content, as far as the log goes; 0 means compressedLogBytes.
	contentBytes int64
}

const (
	bgzfBlockBytes     = 65280
	frameBlockBytes    = 4 << 20
	compressedLogBytes = 600_000_000
)

var (
	bgzf   = compression{"bgzf.gz", compressBGZF, bgzfBlockBytes, 0}
	frames = compression{"frames.zst", compressFrame, frameBlockBytes, 0}
	single = compression{"single.gz", compressGzip, 0, 0}
	// Of many; above 4 MiB, up to which a file counts as small.
	several = compression{"several.gz", compressGzip, 0, 30_000_000}
	bzip2s  = compression{"bz2", compressBzip2, 0, 100_000_000}
)

// compressed returns a compressed log, the size of its content and its number of lines.
func (b *bench) compressed(p compression) (*subject, int64, int64, error) {
	log, _, err := b.logFile()
	if err != nil {
		return nil, 0, 0, err
	}
	defer log.Close()
	bytesWanted := int64(compressedLogBytes)
	if p.contentBytes > 0 {
		bytesWanted = p.contentBytes
	}
	content := make([]byte, min(b.scaled(bytesWanted), log.Bytes))
	if _, err := log.OS().ReadAt(content, 0); err != nil {
		return nil, 0, 0, err
	}
	lines := int64(bytes.Count(content, []byte("\n")))
	if content[len(content)-1] != '\n' {
		lines++
	}
	path := fmt.Sprintf("%s/log-%d.%s", b.data.folder, len(content), p.suffix)
	if _, err := os.Stat(path); err != nil {
		if err := compress(path, content, p); err != nil {
			return nil, 0, 0, err
		}
	}
	s, err := openSubject(path)
	return s, int64(len(content)), lines, err
}

func compress(path string, content []byte, p compression) error {
	f, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for rest := content; len(rest) > 0 && err == nil; {
		n := len(rest)
		if p.blockBytes > 0 {
			n = min(n, p.blockBytes)
		}
		err = p.write(w, rest[:n])
		rest = rest[n:]
	}
	if p.suffix == bgzf.suffix && err == nil {
		err = compressBGZF(w, nil) // marks the end
	}
	if err := errors.Join(err, w.Flush(), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// compressBGZF writes a member whose extra field has the member's length (SAM specification, 4.1).
func compressBGZF(w io.Writer, block []byte) error {
	var member bytes.Buffer
	z, err := gzip.NewWriterLevel(&member, gzip.BestSpeed)
	if err != nil {
		return err
	}
	z.Extra = []byte{'B', 'C', 2, 0, 0, 0}
	if _, err := z.Write(block); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	const sizeAt = 16
	binary.LittleEndian.PutUint16(member.Bytes()[sizeAt:], uint16(member.Len()-1))
	_, err = w.Write(member.Bytes())
	return err
}

func compressGzip(w io.Writer, content []byte) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := z.Write(content); err != nil {
		return err
	}
	return z.Close()
}

// compressBzip2 uses bzip2, because Go has no compressor.
func compressBzip2(w io.Writer, content []byte) error {
	cmd := exec.Command("bzip2", "-c")
	cmd.Stdin, cmd.Stdout = bytes.NewReader(content), w
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bzip2: %w", err)
	}
	return nil
}

func compressFrame(w io.Writer, block []byte) error {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	_, err = w.Write(z.EncodeAll(block, nil))
	return errors.Join(err, z.Close())
}

// overCompressed counts the lines of a compressed log and compares with a peer.
func overCompressed(ctx context.Context, b *bench, name string, p compression,
	peer func(s *subject, lines int64) contender) error {
	s, size, lines, err := b.compressed(p)
	if err != nil {
		return err
	}
	defer s.Close()
	return b.compare(ctx, name, warmState(s), size, b.count(lines, "--lines", s.Name), peer(s, lines))
}

// oneWorker returns thresh with a single worker.
func oneWorker(b *bench) func(s *subject, lines int64) contender {
	return func(s *subject, lines int64) contender {
		c := b.count(lines, "--lines", "--workers", "1", s.Name)
		c.name, c.target = "--workers 1", atLeast(1.3)
		c.note = "rates are of the decompressed content"
		return c
	}
}

func decompressBGZF(ctx context.Context, b *bench, name string) error {
	return overCompressed(ctx, b, name, bgzf, oneWorker(b))
}

func decompressFrames(ctx context.Context, b *bench, name string) error {
	return overCompressed(ctx, b, name, frames, oneWorker(b))
}

// decompressSingle compares with the library alone, which discards the content.
func decompressSingle(ctx context.Context, b *bench, name string) error {
	return overCompressed(ctx, b, name, single, func(s *subject, _ int64) contender {
		c := b.child("the library alone", "", "gunzip", s.Name)
		c.answer = func(string) (string, error) { return "", nil } // the library verifies the checksum
		c.target = atLeast(2)
		return c
	})
}

// searchGzip counts a word in a compressed log, against ripgrep: behind zcat, and with zcat as its
// child.
func searchGzip(ctx context.Context, b *bench, name string) error {
	s, size, _, err := b.compressed(single)
	if err != nil {
		return err
	}
	defer s.Close()
	const word = " ERROR "
	log, _, err := b.logFile()
	if err != nil {
		return err
	}
	defer log.Close()
	content := make([]byte, size)
	if _, err := log.OS().ReadAt(content, 0); err != nil {
		return err
	}
	n := int64(bytes.Count(content, []byte(word)))
	want := fmt.Sprint(n)
	return b.compare(ctx, name, warmState(s), size, b.count(n, "--text", word, s.Name),
		contender{name: "zcat | rg", target: atLeast(1.5), want: want,
			args: []string{"sh", "-c", `zcat "$0" | rg --no-config -cF "$1"`, s.Name, word}},
		contender{name: "rg -z", target: atLeast(1.5), want: want,
			args: []string{"rg", "--no-config", "-z", "-cF", word, s.Name}},
		b.child("the library alone", "", "gunzip", s.Name).discarding())
}

// discarding returns a contender that prints no answer.
func (c contender) discarding() contender {
	c.answer = func(string) (string, error) { return "", nil }
	return c
}

// decompressBzip2 counts the lines of a small log, because bzip2 is slow.
func decompressBzip2(ctx context.Context, b *bench, name string) error {
	return overCompressed(ctx, b, name, bzip2s, func(s *subject, lines int64) contender {
		return contender{name: "bzip2 -dc | wc -l", target: atLeast(1.5), want: fmt.Sprint(lines),
			args: []string{"sh", "-c", `bzip2 -dc "$0" | wc -l`, s.Name}}
	})
}

// manyGzip counts the lines of a hundred compressed logs, against one worker.
func manyGzip(ctx context.Context, b *bench, name string) error {
	s, size, lines, err := b.compressed(several)
	if err != nil {
		return err
	}
	defer s.Close()
	const files = 100
	folder := s.Name + ".folder"
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for i := range files {
		err := os.Link(s.Name, fmt.Sprintf("%s/%02d.gz", folder, i))
		if err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	one := b.count(files*lines, "--lines", "-r", "--workers", "1", folder)
	one.name, one.target = "--workers 1", atLeast(1.6)
	return b.compare(ctx, name, warmState(s), files*size, b.count(files*lines, "--lines", "-r", folder), one)
}

// childGunzip decompresses a file and discards the content.
func childGunzip(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	z, err := gzip.NewReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return err
	}
	_, err = io.Copy(struct{ io.Writer }{io.Discard}, z) // by its WriteTo
	return err
}
