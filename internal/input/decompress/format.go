package decompress

import (
	"strings"
)

// Format is a format of compression.
type Format uint8

// The formats. Deflate and Stored occur only in zip archives.
const (
	Plain Format = iota // not compressed
	Gzip
	Zstd
	Bzip2
	Xz
	LZ4
	Zip // an archive; OpenMember reads its members
	Deflate
	Stored
)

// rows describes the formats. A new one is a constant, a line here, and a file with its row.
var rows = [...]*row{
	Plain: {name: "not compressed"}, Gzip: &gzipRow, Zstd: &zstdRow, Bzip2: &bzip2Row, Xz: &xzRow, LZ4: &lz4Row,
	Zip: &zipRow, Deflate: &deflateRow, Stored: &storedRow,
}

// row is all that distinguishes a format from the others.
type row struct {
	name       string
	variant    string      // a name that some of its files have
	suffixes   []string    // of names of files, in lower case
	signatures []signature // how content begins; none: it occurs only in archives
	methods    []uint16    // its numbers in zip archives (APPNOTE.TXT, section 4.4.5)

	// open returns a decoder for the current run, or, if ahead, for runs that start before their turn; nil: it is
	// not a stream.
	open func(c *codec, workers int, ahead bool) decoder
	// candidate returns the next place, from bit i of a segment on, where a run may begin ahead of its turn, and the
	// bit to go on from. The place is below 0 if there is none. A format without it has a single run.
	candidate func(r *run, d decoder, seg *segment, i int, blocks bool) (bit int, at joint, next int)
	blocks    bool // a run may begin in the middle of a member: see blocks.go
	walks     bool // a walker knows where frames begin
	// explain returns what an error of a library means to users; nil: errors are for users.
	explain func(c *codec, err, cause error) error

	bounded bool                       // a decoder's memory does not depend on what the content says
	current func(memBytes int64) int64 // memory kept for the decoder of the current run; nil: none
	ahead   func() int64               // memory of the decoder of each other run; nil: none
}

func (f Format) row() *row { return rows[f] }

// String returns the format's usual name.
func (f Format) String() string { return rows[f].name }

// Bounded reports whether a decompressor's memory is bounded by the format. Windows of zstd and xz are as large as
// the content says.
func (f Format) Bounded() bool { return rows[f].bounded }

// parallel reports whether content may have several runs.
func (w *row) parallel() bool { return w.candidate != nil }

// workers returns how many workers the options allow.
func (w *row) workers(o Options) int {
	workers := int64(max(o.Workers, 1))
	if !w.parallel() {
		workers = min(workers, 2) // one reads ahead, and one decompresses
	}
	if o.MemBytes == 0 {
		return int(workers)
	}
	fit := o.MemBytes
	if w.current != nil {
		fit -= w.current(o.MemBytes)
	}
	return int(max(min(fit/(workerBytes()+w.aheadBytes()), workers), 1))
}

func (w *row) aheadBytes() int64 {
	if w.ahead == nil {
		return 0
	}
	return w.ahead()
}

// ByName returns the format that belongs to the suffix of a file name, in lower or upper case.
func ByName(name string) (Format, bool) {
	for f, w := range rows {
		for _, suffix := range w.suffixes {
			if cut := len(name) - len(suffix); cut >= 0 && strings.EqualFold(name[cut:], suffix) {
				return Format(f), true
			}
		}
	}
	return Plain, false
}

// Names lists the formats that are recognised and decompressed, for people.
func Names() string {
	var names []string
	for _, w := range rows {
		if w.open != nil && len(w.signatures) > 0 {
			names = append(names, w.name)
		}
		if w.variant != "" {
			names = append(names, w.variant)
		}
	}
	return strings.Join(names, ", ")
}

// IsArchive reports whether content that begins with head, and is not longer if ended, is a zip archive, by its
// first bytes or by its name: an archive may begin with a program that extracts it.
func IsArchive(name string, head []byte, ended bool) bool {
	found, _, _ := Recognise(head, ended)
	promised, _ := ByName(name)
	return found == Zip || promised == Zip
}
