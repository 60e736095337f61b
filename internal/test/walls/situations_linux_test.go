package walls

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// situation is a way to make a run hit one wall.
type situation struct {
	wall    string // what the receipt must name
	name    string
	workers []int    // 1, 2 and 8 if it is nil; 0 leaves the number to the plan
	args    []string // of thresh; files by their names in data
	cold    string   // a file to remove from the page cache first
	again   bool     // as a later question: the first one may find memory that is new to the machine
	input   func(io.WriteCloser) error
	output  func(io.Reader) error // nil: the output goes to /dev/null
	quota   int                   // percent of a processor that the control group allows; 0 for no limit
	burners int                   // busy neighbours of its own
}

var all = []int{1, 2, 8}

// situations are at least three ways to each wall. Figures in them are chosen so that the wall is far nearer than
// any other on every machine we know.
var situations = []situation{
	{wall: "storage", name: "direct", cold: "log", args: []string{"count", "--lines", "--cache", "neutral", "log"}},
	{wall: "storage", name: "ring", cold: "zeros", args: []string{"find", "--nonzero", "--engine", "uring", "zeros"}},
	{wall: "storage", name: "buffered reads", cold: "log", args: []string{"count", "--lines", "--engine", "pread", "log"}},
	{wall: "storage", name: "mapping", cold: "zeros", args: []string{"find", "--nonzero", "--engine", "mmap", "zeros"}},

	{wall: "copying", again: true, name: "zeros read", args: []string{"find", "--nonzero", "--engine", "pread", "zeros"}},
	{wall: "copying", again: true, name: "lines read", args: []string{"count", "--lines", "--engine", "pread", "log"}},
	{wall: "copying", again: true, name: "words read",
		args: []string{"count", "--type", "i32", "--eq", "10", "--engine", "pread", "zeros"}},
	{wall: "copying", again: true, name: "stream of a file", workers: []int{1},
		args: []string{"find", "--nonzero", "--engine", "stream", "zeros"}},

	{wall: "page faults", again: true, name: "small pages", args: []string{"find", "--nonzero", "--engine", "mmap", "pages"}},
	{wall: "page faults", again: true, name: "lines in small pages",
		args: []string{"count", "--type", "u8", "--eq", "1", "--engine", "mmap", "pages"}},
	{wall: "page faults", again: true, name: "memory file system", args: []string{"find", "--nonzero", "--engine", "mmap", "tmpfs"}},

	{wall: "memory", again: true, name: "zeros mapped", args: []string{"find", "--nonzero", "--engine", "mmap", "zeros"}},
	{wall: "memory", again: true, name: "words mapped", args: []string{"count", "--type", "i64", "--ne", "0", "--engine", "mmap", "zeros"}},
	{wall: "memory", again: true, name: "bytes mapped", args: []string{"count", "--type", "u8", "--eq", "1", "--engine", "mmap", "zeros"}},

	{wall: "the work itself", name: "expression", args: []string{"count", "--regex", "(a|b|c|d)[a-z]*[0-9]{3}[^ ]*x?y", "log"}},
	{wall: "the work itself", name: "groups", args: []string{"table", "-d", " ", "--quote", "none", "--malformed", "keep",
		"--group", "2,3", "log"}},
	{wall: "the work itself", name: "many groups", args: []string{"table", "-d", " ", "--quote", "none",
		"--malformed", "keep", "--group", "5", "--agg", "count", "--top-by", "count", "--limit", "10", "part"}},
	{wall: "the work itself", name: "validation", args: []string{"minify", "json"}},
	{wall: "the work itself", name: "characters", args: []string{"count", "--stats", "--type", "f64", "log"}},

	{wall: "decompression", name: "gzip", workers: []int{1, 2}, args: []string{"count", "--lines", "gzip"}},
	{wall: "decompression", name: "gzip zeros", workers: []int{1, 2}, args: []string{"find", "--text", "nowhere", "gzip"}},
	{wall: "decompression", name: "gzip piped", workers: []int{1}, args: []string{"grep", "-c", "nowhere", "gzip"}},

	{wall: "its input", name: "trickle", args: []string{"count", "--lines", "-"}, input: pace(64<<10, 4*time.Millisecond)},
	{wall: "its input", name: "bursts", args: []string{"grep", "-c", "x", "-"}, input: pace(1<<20, 60*time.Millisecond)},
	{wall: "its input", name: "table of a trickle", args: []string{"table", "-d", " ", "--quote", "none", "--malformed", "keep", "--rows", "-"},
		input: pace(64<<10, 4*time.Millisecond)},

	{wall: "its output", name: "lines", args: []string{"grep", "", "log"}, output: sip(256<<10, 2*time.Millisecond)},
	{wall: "its output", name: "minified", args: []string{"minify", "json"}, output: sip(256<<10, 4*time.Millisecond)},
	{wall: "its output", name: "places", args: []string{"find", "--all", "--text", "GET", "log"}, output: sip(64<<10, 3*time.Millisecond)},

	{wall: "CPU quota", name: "expression", workers: []int{2, 8}, quota: 40,
		args: []string{"count", "--regex", "(a|b|c|d)[a-z]*[0-9]{3}[^ ]*x?y", "log"}},
	{wall: "CPU quota", name: "lines", workers: []int{2, 8}, quota: 20, args: []string{"count", "--lines", "--engine", "pread", "log"}},
	{wall: "CPU quota", name: "minified", workers: []int{2, 8}, quota: 40, args: []string{"minify", "json"}},

	{wall: "other programs", name: "expression", burners: 3, args: []string{"count", "--regex", "(a|b|c|d)[a-z]*[0-9]{3}[^ ]*x?y", "log"}},
	{wall: "other programs", name: "lines printed", burners: 3, args: []string{"grep", "", "log"}},
	{wall: "other programs", name: "minified", burners: 3, args: []string{"minify", "json"}},

	{wall: "too small", name: "small file", workers: []int{0}, args: []string{"count", "--lines", "small"}},
	{wall: "too small", name: "early hit", workers: []int{0}, args: []string{"find", "--text", "e", "log"}},
	{wall: "too small", name: "small table", workers: []int{0}, args: []string{"table", "-d", " ", "--quote", "none", "--malformed", "keep", "--rows", "small"}},
}

// command returns the run of thresh with so many workers.
func (s *situation) command(d *data, workers int) *exec.Cmd {
	args := append([]string{}, s.args...)
	for i, a := range args {
		if path, ok := d.paths[a]; ok && i > 0 {
			args[i] = path
		}
	}
	args = append(args, "--receipt=json")
	if workers > 0 {
		args = append(args, "--workers", strconv.Itoa(workers))
	}
	return exec.Command(d.program, args...)
}

// pace writes pieces with pauses, for about half a second.
func pace(pieceBytes int, pause time.Duration) func(io.WriteCloser) error {
	return func(w io.WriteCloser) error {
		piece := make([]byte, pieceBytes)
		for i := range piece {
			piece[i] = "word of text\n"[i%13]
		}
		for range max(8, int(500*time.Millisecond/pause)) {
			if _, err := w.Write(piece); err != nil {
				return err
			}
			time.Sleep(pause)
		}
		return w.Close()
	}
}

// sip reads pieces with pauses.
func sip(pieceBytes int, pause time.Duration) func(io.Reader) error {
	return func(r io.Reader) error {
		piece := make([]byte, pieceBytes)
		for began := time.Now(); time.Since(began) < 2*time.Second; time.Sleep(pause) {
			if _, err := io.ReadFull(r, piece); err != nil {
				if err == io.EOF || err == io.ErrUnexpectedEOF {
					return nil
				}
				return err
			}
		}
		_, err := io.Copy(io.Discard, r)
		return err
	}
}

// discard is where output goes that no situation looks at.
func discard() (*os.File, error) { return os.OpenFile(os.DevNull, os.O_WRONLY, 0) }
