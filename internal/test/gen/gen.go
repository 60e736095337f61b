// Package gen generates realistic data to search: application logs, disk images, arrays of numbers,
// tables, JSON. All generators are seeded: the same arguments give the same bytes.
package gen

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
)

const blockBytes = 1 << 20

// Haystack writes a file of zeros whose last 8-byte word is 1. It writes the zeros instead of leaving
// a hole, which would make the search cheaper. size is rounded down to whole words.
func Haystack(name string, size int64) (err error) {
	size &^= 7
	if size < 8 {
		return fmt.Errorf("make %s: a haystack of %d bytes has no room for a needle", name, size)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	zeros := make([]byte, 16*blockBytes)
	for off := int64(0); off < size; off += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(int64(len(zeros)), size-off)], off); err != nil {
			return err
		}
	}
	if _, err := f.WriteAt([]byte{1}, size-8); err != nil {
		return err
	}
	return f.Sync()
}

// Floats writes n little-endian float64 values with a normal distribution, like the weights of a
// model, and a NaN at each of the indices.
func Floats(w io.Writer, n int64, seed uint64, nans ...int64) error {
	isNaN := map[int64]bool{}
	for _, i := range nans {
		isNaN[i] = true
	}
	r := rand.New(rand.NewPCG(seed, 2))
	b := bufio.NewWriterSize(w, blockBytes)
	var word [8]byte
	for i := range n {
		v := r.NormFloat64() / 16
		if isNaN[i] {
			v = math.NaN()
		}
		binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
		if _, err := b.Write(word[:]); err != nil {
			return err
		}
	}
	return b.Flush()
}

// Disk writes the image of a small disk: a boot sector, a few files with signatures at the start of
// clusters, zeroed free space between them, and remains of deleted text.
func Disk(w io.Writer, size int64, seed uint64) error {
	const clusterBytes = 4096
	r := rand.New(rand.NewPCG(seed, 3))
	b := bufio.NewWriterSize(w, blockBytes)
	signatures := []string{"\x7fELF\x02\x01\x01\x00", "\x89PNG\r\n\x1a\n", "PK\x03\x04\x14\x00", "%PDF-1.7\n"}
	cluster := make([]byte, clusterBytes)
	for off := int64(0); off < size; off += clusterBytes {
		clear(cluster)
		switch kind := r.IntN(100); {
		case off == 0:
			copy(cluster, "\xeb\x3c\x90MSDOS5.0")
			copy(cluster[510:], "\x55\xaa")
		case kind < 8: // the first cluster of a file
			copy(cluster, signatures[r.IntN(len(signatures))])
			fallthrough
		case kind < 40: // further clusters of a file
			for i := 16; i < clusterBytes; i += 8 {
				binary.LittleEndian.PutUint64(cluster[i:], r.Uint64())
			}
		case kind < 42: // remains of a deleted file
			copy(cluster[r.IntN(clusterBytes/2):], "the quick brown fox was here before it was deleted\n")
		}
		if _, err := b.Write(cluster[:min(clusterBytes, size-off)]); err != nil {
			return err
		}
	}
	return b.Flush()
}
