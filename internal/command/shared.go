package command

import (
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/options"
)

// Shared holds the flags that the questions have in common, as typed.
type Shared struct {
	Offset, Length  Size
	Engine          string
	Workers         int
	Chunk, Mem      Size
	Cache           string
	Recursive       bool
	NoDecompress    bool
	S3Endpoint      string
	Explain, DryRun bool
	Receipt         string
	Progress        string
	Color           string
	JSON            bool
	Output          string
	Quiet           bool
}

// Titles of the sections of --help that many verbs have.
const (
	Reading  = "Flags about reading:"
	Printing = "Flags about what is printed:"
)

// Occasions are the values of flags that say when to do something.
var Occasions = []string{"auto", "always", "never"}

var (
	engines  = append([]string{"auto"}, catalog.Names()...)
	caches   = []string{"auto", "keep", "neutral"}
	receipts = []string{"line", "full", "json"}
)

// Section puts flags into a section of --help.
func Section(title string, flags []Flag) []Flag {
	for i := range flags {
		flags[i].Section = title
	}
	return flags
}

// SharedFlags returns the flags that the questions have in common.
func (s *Shared) SharedFlags() []Flag {
	s.Engine, s.Cache = "auto", "auto"
	const choose = "omit the flag to let thresh choose"
	return append(Section(Reading, []Flag{
		{Name: "offset", To: &s.Offset,
			Help: "start at byte `N` of each input; 0x is hex, k M G are powers of 1000, KiB MiB GiB of 1024"},
		{Name: "length", To: &s.Length, Help: "read only `N` bytes of each input (default: to its end)"},
		{Name: "recursive", Short: "r", To: &s.Recursive,
			Help: "search the regular files below folders, ordered by name"},
		{Name: "no-decompress", To: &s.NoDecompress,
			Help: "read compressed inputs as they are (default: decompress them, and read ARCHIVE.zip:MEMBER)"},
		{Name: "s3-endpoint", To: &s.S3Endpoint,
			Help: "where s3:// objects are: `URL` of an S3-compatible store, with {bucket} in it if that is part of the " +
				"host (default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or AWS)"},
		{Name: "engine", To: &s.Engine, Values: engines,
			Help: "how bytes reach memory: `E` is one of " + strings.Join(engines, ", ")},
		{Name: "workers", To: &s.Workers, Positive: choose,
			Help: "scan with `N` workers in parallel (default: the number of cores)"},
		{Name: "chunk", To: &s.Chunk, Positive: choose,
			Help: "read in pieces of `SIZE` (default: the best size for the engine)"},
		{Name: "mem", To: &s.Mem, Positive: choose,
			Help: "use at most `SIZE` of memory for the program itself (default 256MiB, more on many processors, at most " +
				"half of what is left)"},
		{Name: "cache", To: &s.Cache, Values: caches,
			Help: "what stays in memory for the next question: `MODE` is auto (what fits into half of the available " +
				"memory), keep (all) or neutral (what was there before)"},
	}), Section(Printing, append([]Flag{
		{Name: "explain", To: &s.Explain, Help: "print the plan before running"},
		{Name: "dry-run", To: &s.DryRun, Help: "print the plan and stop"},
	}, s.PrintingFlags()...))...)
}

// PrintingFlags returns those of the shared flags that say what is printed, and where.
func (s *Shared) PrintingFlags() []Flag {
	s.Progress = "auto"
	return Section(Printing, []Flag{
		{Name: "receipt", To: &s.Receipt, Values: receipts, Omitted: "line",
			Help: "on standard error, print what was read, how fast, and where the time went: `FORMAT` is line, full " +
				"or json (default: line, on a terminal only)"},
		{Name: "progress", To: &s.Progress, Values: Occasions,
			Help: "bar with rate and time left on standard error: `WHEN` is auto, always or never"},
		{Name: "json", To: &s.JSON, Help: "print results as JSON lines"},
		{Name: "output", Short: "o", To: &s.Output,
			Help: "write results to `FILE`, which appears when it is complete"},
		{Name: "quiet", Short: "q", To: &s.Quiet,
			Help: "print nothing, set only the exit status; stop at the first match"},
	})
}

// ColorFlag returns the flag --color.
func (s *Shared) ColorFlag() Flag {
	s.Color = "auto"
	return Flag{Name: "color", To: &s.Color, Section: Printing, Values: Occasions,
		Help: "colours: `WHEN` is auto, always or never"}
}

// options returns the flags as options of the library.
func (s *Shared) options(c *Call) options.Find {
	o := options.Find{Run: options.Run{Engine: options.Engine(s.Engine), Workers: s.Workers, ChunkBytes: int(s.Chunk),
		MemoryBytes: int64(s.Mem), Cache: options.Cache(s.Cache)}, Offset: int64(s.Offset)}
	if c.Given("length") {
		o.Length = (*int64)(&s.Length)
	}
	return o
}

// Size is a flag that holds a number of bytes: 4096, 0x1000, 4k, 4KiB, 1.5G.
type Size int64

// String returns the number of bytes.
func (s *Size) String() string { return strconv.FormatInt(int64(*s), 10) }

// Type returns what the help calls the value.
func (s *Size) Type() string { return "size" }

// Set parses the number.
func (s *Size) Set(text string) error {
	n, err := bytesize.Parse(text)
	if err == nil {
		*s = Size(n)
	}
	return err
}
