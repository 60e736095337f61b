// Package fields finds the records and fields of delimited text: CSV and the like.
//
// A kernel turns a chunk of text into its structure, for each 64 bytes a word of bits:
// where delimiters and line feeds lie that separate something, and which bytes break the
// rules of quoting. Whether a place is within quotes is the exclusive or of all quote bits
// up to it, as in package rows, as long as no byte breaks the rules. A word with one that
// does is gone through byte by byte. All separators, delimiters and line feeds alike, are also
// listed by place. In this list the n fields of a record are n neighbours, so that the
// k-th field of record i ends at number i*n+k where no record has more fields or less.
// Checking that is one comparison a record, and from then on finding any field of any
// record is one look into the list, however far from the record's beginning it lies.
package fields

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// ChunkBytes is the longest text that a Chunk describes: with its structure it stays in a
// core's own caches, and 16 bits hold every place in it.
const ChunkBytes = 32 << 10

// chunkWords is one word for every 64 bytes, and two that are always zero.
const chunkWords = ChunkBytes/64 + 2

// Dialect is how fields are told apart. Delim and Quote differ from each other, from the
// line feed and from the carriage return.
type Dialect struct {
	Delim  byte
	Quote  byte
	Quoted bool // whether Quote encloses fields, or is a byte like all others
}

// Chunk is the structure of up to ChunkBytes of text. In the masks, bit i%64 of word i/64
// speaks of the byte at i; bits behind the text are zero. The zero Chunk describes an
// empty text. A Chunk is made once a worker: it is large, and a kernel sets it anew.
type Chunk struct {
	Delims [chunkWords]uint64 // delimiters outside quotes
	Feeds  [chunkWords]uint64 // line feeds outside quotes: the ends of records
	// Bad has the bytes that RFC 4180 does not allow where they are: a quote within a field
	// that does not begin with one, and what follows a closing quote and is no delimiter,
	// line feed or quote. A carriage return may follow it too, and then the byte behind that
	// is bad unless it is a line feed; nothing needs to follow. Without quoting there are
	// none. State says how the text is read behind such a byte.
	Bad [chunkWords]uint64
	// Before counts the separators, delimiters and line feeds, before each word of the
	// text and before the word behind it.
	Before [chunkWords]uint32

	places [ChunkBytes]uint16 // of all separators, as many as Before ends with
	words  int                // words that the text takes
	known  stretch            // records of which it is known that they have as many fields
	bad    bool               // whether Bad may be other than zero
	wide   bool               // whether it was made by AVX-512, which then may be used
}

// Func sets c to the structure of text, of up to ChunkBytes, that follows what s is about,
// and returns the State behind it. However a text is cut, its pieces give the bits of the
// whole. A Func may read up to records.SlackBytes behind text, which text's capacity must
// allow; what lies there does not matter. It is safe for concurrent use with chunks of
// their own.
type Func = func(c *Chunk, text []byte, d Dialect, s State) State

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: markPlain})

// Best returns the fastest form that may run here. Choose once a job, not once a call.
func Best() kernel.Variant[Func] { return kernel.Choose(variants) }
