package versus

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// compression is a way of compressing the log.
type compression struct {
	suffix     string
	write      func(w io.Writer, block []byte) error // writes a member or frame
	blockBytes int                                   // in each member or frame; 0 means a single one with everything
	logBytes   int64                                 // of content, as far as the log goes
}

var (
	bgzf   = compression{"bgzf.gz", compressBGZF, 65280, 600_000_000}
	frames = compression{"frames.zst", compressFrame, 4 << 20, 600_000_000}
	single = compression{"single.gz", compressGzip(gzip.BestSpeed), 0, 600_000_000}
	// Of many; above 4 MiB, up to which a file counts as small.
	several = compression{"several.gz", compressGzip(gzip.BestSpeed), 0, 30_000_000}
	bzip2s  = compression{"bz2", compressBzip2, 0, 100_000_000}
	usual   = compression{"gz", compressGzip(gzip.DefaultCompression), 0, 0} // as most people's gzip does
)

// compressed returns a compressed log, and its content.
func (b *bench) compressed(p compression) (*pagecache.File, []byte) {
	log := b.log()
	text := content(log, 0, min(b.scaled(p.logBytes), log.Bytes))
	text = text[:bytes.LastIndexByte(text, '\n')+1] // not all programs count a line that does not end
	return b.compress("log", text, p), text
}

// compress returns a file with that content.
func (b *bench) compress(name string, content []byte, p compression) *pagecache.File {
	return b.rows(fmt.Sprintf("%s-%d.%s", name, len(content), p.suffix), int64(len(content)), func(f io.Writer) error {
		w := bufio.NewWriterSize(f, 1<<20)
		for rest := content; len(rest) > 0; {
			n := len(rest)
			if p.blockBytes > 0 {
				n = min(n, p.blockBytes)
			}
			if err := p.write(w, rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
		if p.suffix == bgzf.suffix {
			if err := compressBGZF(w, nil); err != nil { // marks the end
				return err
			}
		}
		return w.Flush()
	})
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

func compressGzip(level int) func(w io.Writer, content []byte) error {
	return func(w io.Writer, content []byte) error {
		z, err := gzip.NewWriterLevel(w, level)
		if err != nil {
			return err
		}
		_, err = z.Write(content)
		return errors.Join(err, z.Close())
	}
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

// decompress counts the lines of a compressed log and compares with a peer.
func decompress(p compression, peer func(b *bench, s *pagecache.File, lines int64) contender) func(b *bench) {
	return func(b *bench) {
		s, text := b.compressed(p)
		lines := int64(bytes.Count(text, []byte("\n")))
		b.compare(warmState(s), int64(len(text)), b.count(lines, "--lines", s.Name), peer(b, s, lines))
	}
}

// oneWorker returns thresh with a single worker.
func oneWorker(b *bench, s *pagecache.File, lines int64) contender {
	return b.count(lines, "--lines", "--workers", "1", s.Name).
		as("--workers 1", lab.AtLeast(1.3), "rates are of the decompressed content")
}

// libraryAlone discards the content; it verifies the checksum.
func libraryAlone(b *bench, s *pagecache.File, _ int64) contender {
	return b.silentChild("", "gunzip", s.Name).as("the library alone", lab.AtLeast(2), "")
}

func bzip2Lines(_ *bench, s *pagecache.File, lines int64) contender {
	return contender{name: "bzip2 -dc | wc -l", target: lab.AtLeast(1.5), want: fmt.Sprint(lines),
		args: []string{"sh", "-c", `bzip2 -dc "$0" | wc -l`, s.Name}}
}

// searchGzip counts a word in a compressed log, against ripgrep: after zcat, and with zcat as its
// child.
func searchGzip(b *bench) {
	const word = " ERROR "
	s, text := b.compressed(single)
	n := int64(bytes.Count(text, []byte(word)))
	want := fmt.Sprint(n)
	b.compare(warmState(s), int64(len(text)), b.count(n, "--text", word, s.Name),
		contender{name: "zcat | rg", target: lab.AtLeast(1.5), want: want,
			args: []string{"sh", "-c", `zcat "$0" | rg --no-config -cF "$1"`, s.Name, word}},
		contender{name: "rg -z", target: lab.AtLeast(1.5), want: want, args: peer.Rg("-z", "-cF", word, s.Name)},
		b.silentChild("the library alone", "gunzip", s.Name))
}

// manyGzip counts the lines of a hundred compressed logs, against one worker.
func manyGzip(b *bench) {
	s, text := b.compressed(several)
	const files = 100
	folder := s.Name + ".folder"
	check(os.MkdirAll(folder, 0o755))
	for i := range files {
		if err := os.Link(s.Name, fmt.Sprintf("%s/%02d.gz", folder, i)); !errors.Is(err, os.ErrExist) {
			check(err)
		}
	}
	lines := int64(files * bytes.Count(text, []byte("\n")))
	all := b.count(lines, "--lines", "-r", folder)
	one := b.count(lines, "--lines", "-r", "--workers", "1", folder).as("--workers 1", lab.AtLeast(1.6), "")
	all.answer, one.answer = lastNumber, lastNumber
	b.compare(warmState(s), int64(files*len(text)), all, one)
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

const gzipBytes = 200_000_000

// gzipKinds returns the beginning of a file of each kind, whose content is in one gzip member.
var gzipKinds = map[string]func(b *bench) []byte{
	"log": func(b *bench) []byte { return beginning(b, b.log()) },
	"csv": func(b *bench) []byte { return beginning(b, b.donations(gzipBytes)) },
	"json": func(b *bench) []byte {
		var content bytes.Buffer
		check(gen.JSON(&content, b.scaled(gzipBytes), tableSeed))
		return content.Bytes()
	},
	"binary": func(b *bench) []byte { return try(os.ReadFile(b.Thresh)) },
}

func beginning(b *bench, file *pagecache.File) []byte {
	return content(file, 0, min(b.scaled(gzipBytes), file.Bytes))
}

// gunzips are programs that only decompress.
var gunzips = []struct {
	name, command string
	target        lab.Target
}{
	{"zcat", "zcat", lab.Target{}},
	{"igzip", "igzip -d -c", lab.AtMost(1.33)},
	{"libdeflate", "libdeflate-gunzip -c", lab.Target{}},
}

// gzipOf compares the processor time of decompression: of thresh, which also counts the lines, with
// programs that only decompress. All of them verify the checksum, which is the peers' answer.
func gzipOf(kind string) func(b *bench) {
	return func(b *bench) {
		text := gzipKinds[kind](b)
		file := b.compress(fmt.Sprintf("%s-%08x", kind, crc32.ChecksumIEEE(text)), text, usual)
		lines := int64(bytes.Count(text, []byte("\n")))
		if text[len(text)-1] != '\n' {
			lines++
		}
		sides := []contender{
			b.count(lines, "--lines", "--workers", "1", file.Name),
			b.silentChild("", "gunzip", file.Name).as("the library", lab.AtMost(0.45), ""),
		}
		for _, p := range gunzips {
			if peer.Missing(strings.Fields(p.command)[0]) != "" {
				b.skip(p.name + " is not installed; make bench-setup installs it")
				continue
			}
			sides = append(sides, contender{name: p.name, target: p.target,
				args: []string{"sh", "-c", "exec " + p.command + ` "$0" >/dev/null`, file.Name}})
		}
		for i := range sides {
			sides[i].rate = func(o peer.Output) (float64, error) { return float64(len(text)) / o.CPUSeconds(), nil }
		}
		b.compareCPU(warmState(file), int64(len(text)), sides...)
	}
}
