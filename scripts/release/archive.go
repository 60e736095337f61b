package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// adder adds a file to an archive.
type adder func(name, from string, mode os.FileMode) error

// archive writes a program and what belongs to it as .tar.gz, for Windows as .zip, in a folder of the archive's name.
func (r *release) archive(p program, t target, binary string) (err error) {
	stem := p.stem(r.version, t)
	name := stem + ".tar.gz"
	if t.OS == "windows" {
		name = stem + ".zip"
	}
	out, err := os.Create(filepath.Join(r.folder, name))
	if err != nil {
		return err
	}
	add, end := tarTo(out, r.at)
	if t.OS == "windows" {
		add, end = zipTo(out, r.at)
	}
	defer func() { err = errors.Join(err, end(), out.Close()) }()
	for _, f := range p.inArchive() {
		from, err := filepath.Glob(f.from)
		if err != nil || len(from) == 0 {
			return fmt.Errorf("no %s: %w", f.from, err)
		}
		for _, one := range from {
			to := f.to
			if to == "" || strings.HasSuffix(to, "/") {
				to += filepath.Base(one)
			}
			if err := add(path.Join(stem, to), one, 0o644); err != nil {
				return err
			}
		}
	}
	return add(path.Join(stem, filepath.Base(binary)), binary, 0o755)
}

func tarTo(w io.Writer, at time.Time) (adder, func() error) {
	z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // the level is valid
	t := tar.NewWriter(z)
	add := func(name, from string, mode os.FileMode) error {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		err = t.WriteHeader(&tar.Header{Name: name, Mode: int64(mode), Size: int64(len(text)), ModTime: at})
		if err == nil {
			_, err = t.Write(text)
		}
		return err
	}
	return add, func() error { return errors.Join(t.Close(), z.Close()) }
}

func zipTo(w io.Writer, at time.Time) (adder, func() error) {
	z := zip.NewWriter(w)
	add := func(name, from string, mode os.FileMode) error {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at}
		header.SetMode(mode)
		entry, err := z.CreateHeader(header)
		if err == nil {
			_, err = entry.Write(text)
		}
		return err
	}
	return add, z.Close
}

// sumsOf returns the SHA-256 of each file in a folder, by name.
func sumsOf(folder string) (map[string]string, error) {
	sums := map[string]string{}
	err := filepath.WalkDir(folder, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(folder, name)
		sums[filepath.ToSlash(below)] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	})
	return sums, err
}

// writeSums writes checksums.txt, as sha256sum does.
func writeSums(folder string) error {
	sums, err := sumsOf(folder)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, name := range sorted(sums) {
		fmt.Fprintf(&text, "%s  %s\n", sums[name], name)
	}
	return os.WriteFile(filepath.Join(folder, "checksums.txt"), []byte(text.String()), 0o644)
}
