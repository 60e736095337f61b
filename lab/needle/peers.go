package needle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// peers are programs that people use for this. Their time is that of the whole process.
func peers() []lab.Variant {
	return []lab.Variant{
		// It compares with a file of zeros that never ends.
		peer("cmp", "cmp with /dev/zero", parseCmp, func(path string) []string {
			return []string{"cmp", path, "/dev/zero"}
		}),
		// The file is one line for it, which it reads into memory. With -z, where each zero ends a line, it
		// is much faster, but GNU grep 3.8 then names a wrong offset: it does not count blocks of zeros.
		peer("grep", "grep for the first byte that is not zero", parseGrep, func(path string) []string {
			return []string{"grep", "-aobU", "-m1", "[\x01-\xff]", path}
		}),
		fioDirect(),
	}
}

// peer returns a program as a variant.
func peer(program, what string, parse func([]byte) (int64, error), command func(path string) []string) lab.Variant {
	return lab.Variant{
		ID: name + "/" + program, What: what, Peer: true, Input: input,
		Settings: []lab.Setting{{State: lab.Warm}, {State: lab.Pieces}, {State: lab.Cold}},
		Missing:  func() string { return notInstalled(program) },
		Run: func(ctx context.Context, t lab.Task) (o lab.Outcome, err error) {
			begin := time.Now()
			out, err := output(ctx, command(t.Path)...)
			o.Seconds, o.Bytes = time.Since(begin).Seconds(), t.Bytes
			if err != nil {
				return o, err
			}
			at, err := parse(out)
			if at >= 0 {
				at &^= wordBytes - 1
			}
			o.Answer = strconv.FormatInt(at, 10)
			return o, err
		},
	}
}

func notInstalled(program string) string {
	if _, err := exec.LookPath(program); err != nil {
		return program + " is not installed"
	}
	return ""
}

// output runs a program in the C locale and returns its standard output. Status 1 is an answer: cmp
// says by it that files differ, grep that nothing was found.
func output(ctx context.Context, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Env = append(os.Environ(), "LC_ALL=C")
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		said := strings.TrimSpace(string(exit.Stderr))
		if exit.ExitCode() == 1 && (said == "" || strings.HasPrefix(said, "cmp: EOF on")) {
			return out, nil
		}
		return nil, fmt.Errorf("%s: %w: %s", args[0], err, said)
	}
	return out, err
}

// parseCmp returns the offset of the first difference in cmp's output, -1 if there is none. GNU and BSD
// name it "byte" or "char", and count from 1.
func parseCmp(out []byte) (int64, error) {
	fields := strings.FieldsFunc(string(out), func(r rune) bool { return r == ' ' || r == ',' || r == '\n' })
	for i, f := range fields {
		if (f == "char" || f == "byte") && i > 0 && fields[i-1] == "differ:" && i+1 < len(fields) {
			at, err := strconv.ParseInt(fields[i+1], 10, 64)
			if err != nil {
				return -1, fmt.Errorf("output of cmp: %w", err)
			}
			return at - 1, nil
		}
	}
	if len(fields) > 0 {
		return -1, fmt.Errorf("output of cmp: %q", out)
	}
	return -1, nil
}

// parseGrep returns the offset of the first match in grep's output, "offset:match", -1 if there is none.
func parseGrep(out []byte) (int64, error) {
	if len(out) == 0 {
		return -1, nil
	}
	text, _, _ := bytes.Cut(out, []byte(":"))
	at, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return -1, fmt.Errorf("output of grep: %w", err)
	}
	return at, nil
}

// fioDirect only reads, past the page cache: it shows what the storage delivers at best. Nothing is
// searched, so it has no answer. The rate is the one that fio reports, without its start.
func fioDirect() lab.Variant {
	return lab.Variant{
		ID: name + "/fio-direct", What: "fio: direct reads, 32 of 1 MiB in flight, nothing searched", Peer: true,
		Input: input, Settings: []lab.Setting{{State: lab.Cold}},
		Want:    func(lab.Setting) string { return "" },
		Missing: func() string { return notInstalled("fio") },
		Run: func(ctx context.Context, t lab.Task) (o lab.Outcome, err error) {
			const block = 1 << 20
			size := t.Bytes &^ (block - 1)
			if size == 0 {
				return o, fmt.Errorf("read %s by fio: %d bytes are less than a block", t.Path, t.Bytes)
			}
			out, err := output(ctx, "fio", "--name=sequential", "--filename="+t.Path, "--readonly", "--allow_file_create=0",
				"--rw=read", "--direct=1", "--ioengine=io_uring", "--iodepth=32", "--bs=1M",
				"--size="+strconv.FormatInt(size, 10), "--output-format=json")
			if err != nil {
				return o, err
			}
			return parseFio(out)
		},
	}
}

// parseFio returns the bytes and seconds of fio's report, which may begin with notes.
func parseFio(out []byte) (o lab.Outcome, err error) {
	if at := bytes.IndexByte(out, '{'); at > 0 {
		out = out[at:]
	}
	var report struct {
		Jobs []struct {
			Error int
			Read  struct {
				IOBytes int64   `json:"io_bytes"`
				BW      float64 `json:"bw_bytes"`
			}
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return o, fmt.Errorf("report of fio: %w", err)
	}
	if len(report.Jobs) != 1 || report.Jobs[0].Error != 0 || report.Jobs[0].Read.BW <= 0 {
		return o, fmt.Errorf("report of fio: %s", out)
	}
	read := report.Jobs[0].Read
	return lab.Outcome{Bytes: read.IOBytes, Seconds: float64(read.IOBytes) / read.BW}, nil
}
