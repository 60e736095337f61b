package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/thresh-dev/thresh"
)

// shared holds the flags that find, count, table and minify have in common.
type shared struct {
	offset, length size
	engine         string
	workers        int
	chunk, mem     size
	cache          string
	recursive      bool
	noDecompress   bool
	s3Endpoint     string
	explain        bool
	dryRun         bool
	receipt        string
	progress       string
	json           bool
	output         string
	quiet          bool
}

func (s *shared) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&s.offset, "offset", "start at byte `N` of each input; 0x is hex, k M G are powers of 1000, KiB MiB GiB of 1024")
	f.Var(&s.length, "length", "read only `N` bytes of each input (default: to its end)")
	f.BoolVarP(&s.recursive, "recursive", "r", false,
		"search the regular files below folders, ordered by name")
	f.BoolVar(&s.noDecompress, "no-decompress", false,
		"read compressed inputs as they are (default: decompress them, and read ARCHIVE.zip:MEMBER)")
	f.StringVar(&s.s3Endpoint, "s3-endpoint", "",
		"where s3:// objects are: `URL` of an S3-compatible store, with {bucket} in it if that is part of the host "+
			"(default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or AWS)")
	f.StringVar(&s.engine, "engine", "auto", "how bytes reach memory: `E` is auto, pread, mmap, uring or stream")
	f.IntVar(&s.workers, "workers", 0, "scan with `N` workers in parallel (default: the number of cores)")
	f.Var(&s.chunk, "chunk", "read in pieces of `SIZE` (default: the best size for the engine)")
	f.Var(&s.mem, "mem", "use at most `SIZE` of memory for the program itself (default 256MiB)")
	f.StringVar(&s.cache, "cache", "auto",
		"what stays in memory for the next question: `MODE` is auto (what fits into half of the available memory), "+
			"keep (all) or neutral (what was there before)")
	f.BoolVar(&s.explain, "explain", false, "print the plan before running")
	f.BoolVar(&s.dryRun, "dry-run", false, "print the plan and stop")
	f.StringVar(&s.receipt, "receipt", "",
		"on standard error, print what was read, how fast, and which wall it hit: `FORMAT` is line or json "+
			"(default: line, on a terminal only)")
	f.Lookup("receipt").NoOptDefVal = "line"
	f.StringVar(&s.progress, "progress", "auto",
		"bar with rate and time left on standard error: `WHEN` is auto, always or never")
	f.BoolVar(&s.json, "json", false, "print results as JSON lines")
	if f.Lookup("output") == nil { // otherwise the command has one of its own
		f.StringVarP(&s.output, "output", "o", "", "write results to `FILE`, which appears when it is complete")
	}
	f.BoolVarP(&s.quiet, "quiet", "q", false, "print nothing, set only the exit status; stop at the first match")
}

// The values of flags, for their checks and their completion.
var (
	engineNames    = []string{"auto", "pread", "mmap", "uring", "stream"}
	cacheModes     = []string{"auto", "keep", "neutral"}
	occasions      = []string{"auto", "always", "never"}
	receiptFormats = []string{"line", "json"}
)

// options checks the flags and returns them as options of the library.
func (s *shared) options(flags *pflag.FlagSet) (thresh.Options, error) {
	o := thresh.Options{
		Offset: int64(s.offset), Engine: thresh.Engine(s.engine), Workers: s.workers,
		ChunkBytes: int(s.chunk), MemoryBytes: int64(s.mem), Cache: thresh.Cache(s.cache),
	}
	if flags.Changed("length") {
		o.Length = (*int64)(&s.length)
	}
	var err error
	for _, name := range []string{"workers", "chunk", "mem"} {
		if flags.Changed(name) && flags.Lookup(name).Value.String() == "0" {
			err = errors.Join(err,
				fmt.Errorf("--%s 0: it must be at least 1; omit the flag to let thresh choose", name))
		}
	}
	err = errors.Join(err,
		oneOf("engine", s.engine, engineNames...),
		oneOf("cache", s.cache, cacheModes...),
		oneOf("progress", s.progress, occasions...),
		oneOf("receipt", s.receipt, append([]string{""}, receiptFormats...)...))
	return o, err
}

// oneOf returns an error unless the value of a flag is one of the known ones.
func oneOf(flag, value string, known ...string) error {
	for _, k := range known {
		if value == k {
			return nil
		}
	}
	list := strings.TrimPrefix(strings.Join(known, ", "), ", ")
	err := fmt.Errorf("--%s %q is unknown (known: %s)", flag, value, list)
	if near := nearest(value, known); near != "" {
		return &hintedError{err, fmt.Sprintf("did you mean --%s=%s?", flag, near)}
	}
	return err
}

// size is a flag that holds a number of bytes: 4096, 0x1000, 4k, 4KiB, 1.5G.
type size int64

func (s *size) String() string { return strconv.FormatInt(int64(*s), 10) }
func (s *size) Type() string   { return "size" }

func (s *size) Set(text string) error {
	n, err := parseSize(text)
	if err == nil {
		*s = size(n)
	}
	return err
}

var units = []struct {
	suffix string
	bytes  float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1},
}

func parseSize(text string) (int64, error) {
	number, unit := text, 1.0
	if !strings.HasPrefix(text, "0x") && !strings.HasPrefix(text, "0X") {
		for _, u := range units {
			if rest, ok := strings.CutSuffix(text, u.suffix); ok {
				number, unit = strings.TrimSpace(rest), u.bytes
				break
			}
		}
	}
	if n, err := strconv.ParseInt(number, 0, 64); err == nil {
		if n < 0 {
			return 0, fmt.Errorf("%s is negative", text)
		}
		if float64(n)*unit > math.MaxInt64/2 {
			return 0, fmt.Errorf("%s is too large", text)
		}
		return n * int64(unit), nil
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%q is not a number of bytes (write 4096, 0x1000, 64k or 4GiB)", text)
	}
	if f < 0 || f*unit > math.MaxInt64/2 {
		return 0, fmt.Errorf("%s is out of range", text)
	}
	return int64(f * unit), nil
}
