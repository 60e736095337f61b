package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

const (
	archivedBytes = 2 << 30
	archivedFiles = 1000 // 2 MiB each; with --size 20GiB these are 10 GiB in 5,000 files
)

// archived is a folder of files of random bytes. Their lengths are odd, so that each has padding.
type archived struct {
	folder string
	files  []*subject
	bytes  int64
}

func (a *archived) close() (err error) {
	for _, f := range a.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// each calls do for all files in turn.
func (a *archived) each(do func(*subject) error) error {
	for _, f := range a.files {
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) archived() (a *archived, err error) {
	bytes := b.scaled(archivedBytes)
	count := max(2, int(b.scaled(archivedFiles)))
	served, err := b.served()
	if err != nil {
		return nil, err
	}
	a = &archived{folder: filepath.Join(served, fmt.Sprintf("many-%d", count))}
	if err := errors.Join(os.MkdirAll(a.folder, 0o755), b.data.room(bytes)); err != nil {
		return nil, err
	}
	for i := range count {
		name := filepath.Join("served", filepath.Base(a.folder), fmt.Sprintf("file-%05d", i))
		size := bytes/int64(count) | 1
		f, err := b.data.file(name, size, func(path string) error {
			return writeRandom(path, size, uint64(i))
		})
		if err != nil {
			return nil, errors.Join(err, a.close())
		}
		a.files, a.bytes = append(a.files, f), a.bytes+size
	}
	return a, nil
}

func writeRandom(path string, size int64, seed uint64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	random := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)})
	_, err = io.CopyN(f, random, size)
	return errors.Join(err, f.Sync(), f.Close())
}

// serveArchive compares the processor time of a folder as .tar with that of one file of its size, with all in
// the page cache, and with nothing in it. Before that it checks that GNU tar unpacks the files, and that a
// download that is resumed, at several places, is the same as one that is not.
func serveArchive(ctx context.Context, b *bench, name string) (err error) {
	st, err := b.newStage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	many, err := b.archived()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, many.close()) }()
	one, err := b.servedFile(filepath.Base(many.folder)+"-one", many.bytes)
	if err != nil {
		return err
	}
	defer one.Close() // read only
	addr, err := freeAddr()
	if err != nil {
		return err
	}
	args := append(st.serveArgs(addr, filepath.Dir(many.folder)), "--archives")
	s, err := st.start(ctx, st.pins.server, "thresh", addr, args...)
	if err != nil {
		return err
	}
	path := "/" + filepath.Base(many.folder) + "/?archive=tar"
	size, err := s.sameArchive(ctx, path, many)
	if err != nil {
		return err
	}
	pids, err := s.pidList()
	if err != nil {
		return err
	}
	tar := st.client("thresh", "download", addr, path, "", "1", "1", pids)
	tar.want = fmt.Sprint(size)
	file := st.client("one file", "download", addr, "/"+filepath.Base(one.Name), "", "1", "1", pids)
	file.want, file.target = fmt.Sprint(one.Bytes), atMost(1.3)
	file.note = fmt.Sprintf("%d files, cached", len(many.files))
	// Each side warms what it sends: memory need not hold both.
	var sent *archived
	warm := func(a *archived) func() error {
		return func() error {
			sent = a
			return a.each((*subject).warm)
		}
	}
	single := &archived{files: []*subject{one}}
	tar.before, file.before = warm(many), warm(single)
	stillWarm := state{
		before: func() error { return nil },
		after:  func() error { return sent.each((*subject).stillWarm) },
	}
	if err := b.compareCPU(ctx, name, stillWarm, size, []contender{tar, file}); err != nil {
		return err
	}
	cold := state{before: func() error {
		return errors.Join(many.each(s.unsent(ctx)), single.each(s.unsent(ctx)))
	}}
	tar.before, file.before = nil, nil
	file.name, file.note = "one file, cold", fmt.Sprintf("%d files, not cached", len(many.files))
	return b.compareCPU(ctx, name, cold, size, []contender{tar, file})
}

// unsent returns a function that removes a file from the page cache. The kernel keeps pages that the
// server has sent until the server's processor handles other packets, so there are some.
func (s *server) unsent(ctx context.Context) func(*subject) error {
	return func(f *subject) (err error) {
		const tries = 10
		for range tries {
			if err = f.cold(); err == nil {
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
	body, err := s.archiveFrom(ctx, path, 0)
	if err != nil {
		return 0, err
	}
	defer body.Close() // read only
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
	size, err := io.Copy(io.MultiWriter(sums...), body)
	if err := errors.Join(err, in.Close(), tar.Wait()); err != nil {
		return size, fmt.Errorf("GNU tar: %w: %s", err, said.String())
	}
	for i, cut := range cuts {
		rest, err := s.archiveFrom(ctx, path, cut)
		if err != nil {
			return size, err
		}
		sum := sha256.New()
		n, err := io.Copy(sum, rest)
		if err := errors.Join(err, rest.Close()); err != nil {
			return size, err
		}
		if n != size-cut || !bytes.Equal(sum.Sum(nil), sums[i].(*laterSum).Sum(nil)) {
			return size, fmt.Errorf("%s resumed at %d: %d bytes differ from those of the whole", path, cut, n)
		}
	}
	return size, nil
}

// archiveFrom returns the body of the answer for the bytes from an offset on.
func (s *server) archiveFrom(ctx context.Context, path string, from int64) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+path, nil)
	if err != nil {
		return nil, err
	}
	status := http.StatusOK
	if from > 0 {
		status = http.StatusPartialContent
		request.Header.Set("Range", "bytes="+strconv.FormatInt(from, 10)+"-")
	}
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	response, err := transport.RoundTrip(request)
	if err == nil && response.StatusCode != status {
		err = errors.Join(fmt.Errorf("%s from %d: status %s", path, from, response.Status), response.Body.Close())
	}
	if err != nil {
		return nil, err
	}
	return response.Body, nil
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
