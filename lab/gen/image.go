package gen

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
)

// Structure is something with a signature in an image.
type Structure struct {
	Off  int64  // where its signature begins
	Kind string // "mbr", "gpt", "ext4" or a file's kind: "elf", "png", "jpeg", "zip", "gzip", "sqlite"
}

const (
	imageBytesMin   = 2 << 20
	partitionOff    = 1 << 20
	imageBlockBytes = 64 << 10
)

// magics are the first bytes of files.
var magics = []struct{ kind, bytes string }{
	{"elf", "\x7fELF\x02\x01\x01\x00"},
	{"png", "\x89PNG\r\n\x1a\n"},
	{"jpeg", "\xff\xd8\xff\xe0\x00\x10JFIF"},
	{"zip", "PK\x03\x04\x14\x00"},
	{"gzip", "\x1f\x8b\x08\x00"},
	{"sqlite", "SQLite format 3\x00"},
}

// Image writes what a disk might hold, of that many bytes, at least 2 MiB: boot sector
// and partition table, the superblock of a file system 1 MiB behind the start, then areas
// of 64 KiB to 4 MiB: half of them empty, the others files of random content behind the
// signature of their kind. It returns the structures in ascending order. Random content
// may hold signatures of a few bytes by chance.
func Image(w io.Writer, bytes int64, seed uint64) ([]Structure, error) {
	if bytes < imageBytesMin {
		return nil, fmt.Errorf("make image: %d bytes are fewer than %d", bytes, imageBytesMin)
	}
	r := newRand("image", seed)
	out := newWriter(w)
	block, found := imageHead(r)
	if _, err := out.Write(block); err != nil {
		return nil, fmt.Errorf("make image: %w", err)
	}
	zeros := make([]byte, imageBlockBytes)
	for off := int64(len(block)); off < bytes; {
		areaBytes := min(int64(1+below(r, 64))*imageBlockBytes, bytes-off)
		empty := below(r, 2) == 0
		for at := int64(0); at < areaBytes; at += imageBlockBytes {
			part := zeros
			if !empty {
				part = block[:imageBlockBytes]
				fill(r, part)
				if at == 0 {
					m := magics[below(r, len(magics))]
					copy(part, m.bytes)
					if areaBytes >= int64(len(m.bytes)) {
						found = append(found, Structure{off, m.kind})
					}
				}
			}
			if _, err := out.Write(part[:min(imageBlockBytes, areaBytes-at)]); err != nil {
				return nil, fmt.Errorf("make image: %w", err)
			}
		}
		off += areaBytes
	}
	return found, wrap("make image", out.Flush())
}

// imageHead returns the image up to the first area, which begins imageBlockBytes into the
// partition, and the structures in it.
func imageHead(r *rand.PCG) ([]byte, []Structure) {
	const (
		mbrMagicOff       = 510
		gptOff            = 512
		superblockOff     = partitionOff + 1024
		superblockMagicAt = superblockOff + 56
	)
	b := make([]byte, partitionOff+imageBlockBytes)
	fill(r, b[:440]) // boot code
	copy(b[mbrMagicOff:], "\x55\xaa")
	copy(b[gptOff:], "EFI PART\x00\x00\x01\x00\x5c\x00\x00\x00")
	binary.LittleEndian.PutUint32(b[superblockOff:], 1<<16) // inodes
	copy(b[superblockMagicAt:], "\x53\xef")
	return b, []Structure{{mbrMagicOff, "mbr"}, {gptOff, "gpt"}, {superblockMagicAt, "ext4"}}
}

// fill makes b random. Whole words are written; the last bytes of a b that is no multiple
// of 8 keep what they hold.
func fill(r *rand.PCG, b []byte) {
	for i := 0; i+8 <= len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], r.Uint64())
	}
}
