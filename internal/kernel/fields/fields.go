// Package fields finds the records and fields of delimited text: CSV and the like.
//
// A kernel turns a chunk of text into its structure: for each 64 bytes, words of bits that mark the
// delimiters and line feeds that separate something, and the bytes that violate the rules of
// quoting. A place is inside quotes if the exclusive or of all quote bits up to it is set, as in
// package rows. That holds as long as no byte violates the rules; a word with one that does is read
// byte by byte.
//
// All separators, delimiters and line feeds alike, are also listed by place. If every record has n
// fields, the ends of a record's fields are n neighbours in this list, and field k of record i ends
// at entry i*n+k. Verifying that costs one comparison per record. After that, finding any field of
// any record costs one look into the list, however far it is from the beginning of the record.
package fields

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// ChunkBytes is the longest text that a Chunk describes: together with its structure it stays in a
// core's own caches, and 16 bits hold every place in it.
const ChunkBytes = 32 << 10

// chunkWords is one word for every 64 bytes, and two that are always zero.
const chunkWords = ChunkBytes/64 + 2

// Dialect says how fields are delimited. Delim and Quote differ from each other, from the line feed
// and from the carriage return.
type Dialect struct {
	Delim  byte
	Quote  byte
	Quoted bool // whether Quote encloses fields; if not, it is an ordinary byte
}

// Chunk is the structure of up to ChunkBytes of text. In the masks, bit i%64 of word i/64 describes
// the byte at i; bits past the end of the text are zero. The zero Chunk describes an empty text.
// Make one Chunk per worker and reuse it: it is large, and a kernel overwrites it.
type Chunk struct {
	Delims [chunkWords]uint64 // delimiters outside quotes
	Feeds  [chunkWords]uint64 // line feeds outside quotes: the ends of records
	// Bad marks the bytes that RFC 4180 does not allow where they are: a quote within a field that
	// does not begin with one, and a byte after a closing quote that is no delimiter, line feed or
	// quote. A carriage return may follow a closing quote too; then the byte after it is bad unless
	// it is a line feed. The text may also end there. Without quoting there are no bad bytes. State
	// says how the text after a bad byte is read.
	Bad [chunkWords]uint64
	// Before holds the number of separators, delimiters and line feeds, before each word of the
	// text and before the word after it.
	Before [chunkWords]uint32

	places  [ChunkBytes]uint16           // of all separators; their number is the last entry of Before in use
	kinds   [ChunkBytes + wordBytes]byte // the separators themselves, if wide; and what was stored behind them
	words   int                          // words that the text occupies
	known   stretch                      // records known to have the same number of fields
	fields  int                          // of each record, if Expect found that all have the same number; else 0
	ending  int                          // records that end in the text, if so
	bad     bool                         // whether Bad may be other than zero
	wide    bool                         // whether AVX-512 made it, and so may be used on it
	delim   byte
	pattern pattern // what Expect looks for

	// sequence, if not nil, sets bit i of each word of order if the i-th separator of the word is a
	// line feed.
	sequence func(order, feeds, delims *uint64, words int)
	order    [chunkWords]uint64 // room for that

	// MasksOnly is set by the user who needs no places of separators, which take half of the time: a
	// kernel then sets the masks only, and of the methods only Regular and FeedsFrom may be called.
	MasksOnly bool
}

// Func sets c to the structure of text, of up to ChunkBytes, that follows state s, and returns the
// State after it. However a text is cut into pieces, they give the bits of the whole. A Func may
// read up to records.SlackBytes past the end of text; the capacity of text must allow that, and the
// bytes there do not matter. It is safe for concurrent use with different chunks.
type Func = func(c *Chunk, text []byte, d Dialect, s State) State

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: markPlain})

// Best returns the fastest variant that can run here. Choose once per job, not once per call.
func Best() kernel.Variant[Func] { return kernel.Choose(variants) }
