package versus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/machine"
	"github.com/thresh-dev/thresh/lab/pagecache"
)

const (
	archivedBytes = 2 << 30
	archivedFiles = 1000 // 2 MiB each; with --size 20GiB these are 10 GiB in 5,000 files
)

// archived is a folder of files of random bytes. Their lengths are odd, so that each has padding.
type archived struct {
	folder string
	files  []*pagecache.File
	bytes  int64
}

func (b *bench) archived() *archived {
	bytes := b.scaled(archivedBytes)
	count := max(2, int(b.scaled(archivedFiles)))
	a := &archived{folder: filepath.Join(b.served(), fmt.Sprintf("many-%d", count))}
	check(errors.Join(os.MkdirAll(a.folder, 0o755), machine.Room(b.data.folder, bytes)))
	for i := range count {
		name := filepath.Join("served", filepath.Base(a.folder), fmt.Sprintf("file-%05d", i))
		size := bytes/int64(count) | 1
		a.files = append(a.files, b.file(name, size, func(f *os.File) error {
			return random(f, size, [32]byte{byte(i), byte(i >> 8), byte(i >> 16)})
		}))
		a.bytes += size
	}
	return a
}

// serveArchive compares the processor time of a folder as .tar with that of one file of its size, with all in
// the page cache, and with nothing in it. Before that it checks that GNU tar unpacks the files, and that a
// download that is resumed, at several places, is the same as one that is not.
func serveArchive(b *bench) {
	b.staged(func(st *stage) {
		many := b.archived()
		one := b.servedFile(filepath.Base(many.folder)+"-one", many.bytes)
		s := st.serveThresh(filepath.Dir(many.folder), nil, "--archives")
		from := "/" + filepath.Base(many.folder) + "/?archive=tar"
		size := try(s.sameArchive(st.ctx, from, many))
		pids := try(s.pidList())
		tar := st.client("thresh", size, "download", s.addr, from, "", 1, 1, pids)
		file := st.client("", one.Bytes, "download", s.addr, path(one), "", 1, 1, pids).
			as("one file", lab.AtMost(1.3), fmt.Sprintf("%d files, cached", len(many.files)))
		// Each side warms what it sends: memory need not hold both.
		single := []*pagecache.File{one}
		var sent []*pagecache.File
		warm := func(files []*pagecache.File) func() error {
			return func() error {
				sent = files
				return eachFile(files, (*pagecache.File).Warm)
			}
		}
		tar.before, file.before = warm(many.files), warm(single)
		stillWarm := state{anyState.before, func() error { return eachFile(sent, (*pagecache.File).StillWarm) }}
		b.compareCPU(stillWarm, size, tar, file)

		cold := state{before: func() error { return eachFile(slices.Concat(many.files, single), s.unsent(st.ctx)) }}
		tar.before, file.before = nil, nil
		file.name, file.note = "one file, cold", fmt.Sprintf("%d files, not cached", len(many.files))
		b.compareCPU(cold, size, tar, file)
	})
}

// unsent returns a function that removes a file from the page cache. The kernel keeps pages that the
// server has sent until the server's processor handles other packets, so there are some.
func (s *server) unsent(ctx context.Context) func(*pagecache.File) error {
	return func(f *pagecache.File) (err error) {
		const tries = 10
		for range tries {
			if err = f.Cold(); err == nil {
				return nil
			}
			if perr := s.ping(ctx); perr != nil {
				return errors.Join(err, perr)
			}
		}
		return err
	}
}

// ping requests the root folder; the status does not matter.
func (s *server) ping(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, "http://"+s.addr+"/", nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// sameArchive checks the archive at path, and returns its length.
func (s *server) sameArchive(ctx context.Context, path string, want *archived) (int64, error) {
	whole, err := s.get(ctx, path, "")
	if err != nil {
		return 0, err
	}
	defer whole.Body.Close() // read only
	const headerBytes = 512
	first := headerBytes + want.files[0].Bytes // where the padding of the first file begins
	next := (first + headerBytes - 1) / headerBytes * headerBytes
	cuts := []int64{100, headerBytes, first/2 + 1, first + 1, next + 3, want.bytes / 2}
	sums := make([]io.Writer, len(cuts)+1)
	for i := range cuts {
		sums[i] = &laterSum{skip: cuts[i], Hash: sha256.New()}
	}
	// GNU tar compares what it reads with the files.
	tar := exec.CommandContext(ctx, "tar", "--compare", "--directory", filepath.Dir(want.folder), "--file", "-")
	in, err := tar.StdinPipe()
	if err != nil {
		return 0, err
	}
	var said bytes.Buffer
	tar.Stdout, tar.Stderr = &said, &said
	if err := tar.Start(); err != nil {
		return 0, err
	}
	sums[len(cuts)] = in
	size, err := io.Copy(io.MultiWriter(sums...), whole.Body)
	if err := errors.Join(err, in.Close(), tar.Wait()); err != nil {
		return size, fmt.Errorf("GNU tar: %w: %s", err, said.String())
	}
	for i, cut := range cuts {
		rest, err := s.get(ctx, path, fmt.Sprintf("bytes=%d-", cut))
		if err != nil {
			return size, err
		}
		sum := sha256.New()
		n, err := io.Copy(sum, rest.Body)
		if err := errors.Join(err, rest.Body.Close()); err != nil {
			return size, err
		}
		if n != size-cut || !bytes.Equal(sum.Sum(nil), sums[i].(*laterSum).Sum(nil)) {
			return size, fmt.Errorf("%s resumed at %d: %d bytes differ from those of the whole", path, cut, n)
		}
	}
	return size, nil
}

// laterSum is the hash of what is written after a number of bytes.
type laterSum struct {
	hash.Hash
	skip int64
}

func (s *laterSum) Write(p []byte) (int, error) {
	skipped := min(s.skip, int64(len(p)))
	s.skip -= skipped
	n, err := s.Hash.Write(p[skipped:])
	return int(skipped) + n, err
}
