package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// prefix is the prefix of the names of cached files.
const prefix = "lab-copy-"

// data returns the cached file of that size. It makes the file if necessary, and reads it into the
// page cache.
func data(folder string, size int64) (string, error) {
	path := filepath.Join(folder, fmt.Sprintf("%s%d.bin", prefix, size))
	info, err := os.Stat(path)
	switch {
	case err == nil && info.Size() == size:
		return path, warm(path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(folder, prefix)
	if err != nil {
		return "", err
	}
	err = errors.Join(fill(f, size), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return path, warm(path)
}

// fill writes size pseudo-random bytes, always the same ones.
func fill(w io.Writer, size int64) error {
	b := bufio.NewWriterSize(w, 1<<20)
	if _, err := io.CopyN(b, rand.NewChaCha8([32]byte{1}), size); err != nil {
		return err
	}
	return b.Flush()
}

// warm reads a file once, into the page cache.
func warm(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	_, err = io.Copy(io.Discard, f)
	return err
}

// clean removes all files that data made, including unfinished ones.
func clean(folder string) error {
	paths, err := filepath.Glob(filepath.Join(folder, prefix+"*"))
	for _, p := range paths {
		err = errors.Join(err, os.Remove(p))
	}
	return err
}
