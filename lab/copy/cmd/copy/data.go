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

// prefix begins the names of the files that are kept.
const prefix = "lab-copy-"

// data returns the file of that size, made if it is not there, and in the page cache.
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

// fill writes size random bytes, always the same.
func fill(w io.Writer, size int64) error {
	b := bufio.NewWriterSize(w, 1<<20)
	if _, err := io.CopyN(b, rand.NewChaCha8([32]byte{1}), size); err != nil {
		return err
	}
	return b.Flush()
}

// warm reads a file once.
func warm(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	_, err = io.Copy(io.Discard, f)
	return err
}

// clean removes all files that data made, also those that it could not finish.
func clean(folder string) error {
	paths, err := filepath.Glob(filepath.Join(folder, prefix+"*"))
	for _, p := range paths {
		err = errors.Join(err, os.Remove(p))
	}
	return err
}
