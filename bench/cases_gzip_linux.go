package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"

	"github.com/klauspost/compress/gzip"

	"github.com/thresh-dev/thresh/lab/gen"
)

// gzipKinds returns the beginning of a file of each kind, whose content is in one gzip member.
var gzipKinds = map[string]func(ctx context.Context, b *bench) ([]byte, error){
	"log": func(_ context.Context, b *bench) ([]byte, error) {
		file, _, err := b.logFile()
		return beginning(b, file, err)
	},
	"csv": func(_ context.Context, b *bench) ([]byte, error) {
		file, err := b.donations(gzipBytes)
		return beginning(b, file, err)
	},
	"json": func(_ context.Context, b *bench) ([]byte, error) {
		var content bytes.Buffer
		err := gen.JSON(&content, b.scaled(gzipBytes), tableSeed)
		return content.Bytes(), err
	},
	"binary": func(_ context.Context, b *bench) ([]byte, error) { return os.ReadFile(b.thresh) },
}

const gzipBytes = 200_000_000

func beginning(b *bench, file *subject, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content := make([]byte, min(b.scaled(gzipBytes), file.Bytes))
	_, err = file.OS().ReadAt(content, 0)
	return content, err
}

// gzipOf compares the processor time of decompression: of thresh, which also counts the lines, with
// programs that only decompress. All of them verify the checksum, which is the peers' answer.
func gzipOf(kind string) func(ctx context.Context, b *bench, name string) error {
	return func(ctx context.Context, b *bench, name string) error {
		content, err := gzipKinds[kind](ctx, b)
		if err != nil {
			return err
		}
		path := fmt.Sprintf("%s/%s-%d-%08x.gz", b.data.folder, kind, len(content), crc32.ChecksumIEEE(content))
		if _, err := os.Stat(path); err != nil {
			if err := compress(path, content, compression{write: compressUsually}); err != nil {
				return err
			}
		}
		file, err := openSubject(path)
		if err != nil {
			return err
		}
		defer file.Close()
		lines := int64(bytes.Count(content, []byte("\n")))
		if content[len(content)-1] != '\n' {
			lines++
		}
		onCPU := byProcessor(int64(len(content)))
		ours := b.count(lines, "--lines", "--workers", "1", file.Name)
		library := b.child("the library", "", "gunzip", file.Name)
		library.target = atMost(0.45)
		sides := []contender{ours, library}
		for _, p := range []struct {
			name, command string
			target        target
		}{
			{"zcat", "zcat", target{}},
			{"igzip", "igzip -d -c", atMost(1.33)},
			{"libdeflate", "libdeflate-gunzip -c", target{}},
		} {
			if program, _, _ := bytes.Cut([]byte(p.command), []byte(" ")); !installed(string(program)) {
				b.skip(name, p.name+" is not installed; make bench-setup installs it")
				continue
			}
			sides = append(sides, contender{name: p.name, target: p.target,
				args: []string{"sh", "-c", "exec " + p.command + ` "$0" >/dev/null`, file.Name}})
		}
		for i := range sides {
			sides[i].rate = onCPU
		}
		return b.compareCPU(ctx, name, warmState(file), int64(len(content)), sides)
	}
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// byProcessor returns the rate by the processor time of a process, not by the time that passed.
func byProcessor(bytes int64) func(o outcome) (float64, error) {
	return func(o outcome) (float64, error) {
		if o.processor <= 0 {
			return 0, errors.New("it took no processor time")
		}
		return float64(bytes) / o.processor, nil
	}
}

// compressUsually writes a member as most people's gzip does.
func compressUsually(w io.Writer, content []byte) error {
	z, err := gzip.NewWriterLevel(w, gzip.DefaultCompression)
	if err != nil {
		return err
	}
	_, err = z.Write(content)
	return errors.Join(err, z.Close())
}
