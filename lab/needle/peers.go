package needle

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
)

// peers are programs that people use for this. Their time is that of the whole process.
func peers() []lab.Variant {
	return []lab.Variant{
		searcher("cmp", "cmp with zeros that never end", peer.Cmp, offsetOfCmp),
		searcher("grep", "grep for the first byte that is not zero", grep, offsetOfGrep),
		fioDirect(),
	}
}

// searcher returns a program as a variant. Its exit status may be 1: cmp says by it that files differ, grep
// that nothing was found.
func searcher(program, what string, command func(path string) []string,
	offset func(peer.Output) (int64, error)) lab.Variant {
	return lab.Variant{
		ID: name + "/" + program, What: what, Peer: true, Input: input,
		Settings: []lab.Setting{{State: lab.Warm}, {State: lab.Pieces}, {State: lab.Cold}},
		Missing:  func() string { return peer.NotInstalled(program) },
		Run: func(ctx context.Context, t lab.Task) (o lab.Outcome, err error) {
			out, err := peer.Run(ctx, 1, command(t.Path)...)
			if err != nil {
				return o, err
			}
			at, err := offset(out)
			if at >= 0 {
				at &^= wordBytes - 1
			}
			return lab.Outcome{Seconds: out.Seconds, Bytes: t.Bytes, Answer: strconv.FormatInt(at, 10)}, err
		},
	}
}

// offsetOfCmp returns where a file differs from zeros, -1 if it ends before.
func offsetOfCmp(out peer.Output) (int64, error) {
	if out.Stdout == "" && strings.HasPrefix(out.Stderr, "cmp: EOF on") {
		return -1, nil
	}
	text, err := peer.ParseCmp(out.Stdout)
	if err != nil {
		return -1, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// grep returns the command. The file is one line for grep, which it reads into memory. With -z, where each
// zero ends a line, it is much faster, but GNU grep 3.8 then names a wrong offset: it does not count blocks
// of zeros. A set of bytes is faster than an expression of Perl.
func grep(path string) []string { return []string{"grep", "-aobU", "-m1", "[\x01-\xff]", path} }

// offsetOfGrep returns the offset of the first match, which is printed as "offset:match"; -1 if there is none.
func offsetOfGrep(out peer.Output) (int64, error) {
	if out.Status == 1 && out.Stdout == "" && out.Stderr == "" {
		return -1, nil
	}
	text, _, _ := strings.Cut(out.Stdout, ":")
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return -1, fmt.Errorf("output of grep: %w: %s", err, peer.FirstLine(out.Stderr))
	}
	return at, nil
}

// fioDirect only reads, past the page cache: it shows what the storage delivers at best. Nothing is
// searched, so its answer is not compared. The rate is the one that fio reports, without its start.
func fioDirect() lab.Variant {
	return lab.Variant{
		ID: name + "/fio-direct", What: "fio: direct reads, 32 of 1 MiB in flight, nothing searched", Peer: true,
		Work: "only read", Input: input, Settings: []lab.Setting{{State: lab.Cold}},
		WantOf:  func(string) string { return "" },
		Missing: func() string { return peer.NotInstalled("fio") },
		Run: func(ctx context.Context, t lab.Task) (o lab.Outcome, err error) {
			out, err := peer.Run(ctx, 0, peer.Fio(t.Path, t.Bytes, 32, "1m")...)
			if err != nil {
				return o, err
			}
			bytes, rate, err := peer.ParseFio(out.Stdout)
			if err != nil {
				return o, err
			}
			return lab.Outcome{Bytes: bytes, Seconds: float64(bytes) / rate}, nil
		},
	}
}
