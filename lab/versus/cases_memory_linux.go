package versus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// ownMemoryMax is the limit for thresh's own memory, in MiB.
const ownMemoryMax = 64

// watch runs the command with that standard input. It returns the highest sampled amount of the
// process's own memory, in bytes, and the number of samples. The kernel keeps no such maximum: its
// peak of resident memory includes the pages of mapped files. So watch takes a sample every half
// millisecond, and may miss a shorter peak.
func watch(ctx context.Context, c contender, stdin io.Reader) (peak int64, looks int, err error) {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	status := "/proc/" + strconv.Itoa(cmd.Process.Pid) + "/status"
	for {
		select {
		case <-ended:
			o := peer.Output{Stdout: stdout.String(), Stderr: stderr.String(), Status: cmd.ProcessState.ExitCode()}
			return peak, looks, c.check(o)
		case <-time.After(500 * time.Microsecond):
		}
		own, err := ownMemoryOf(status)
		if err != nil {
			return 0, 0, errors.Join(err, cmd.Process.Kill(), <-ended)
		}
		if own > 0 {
			looks++
			peak = max(peak, own)
		}
	}
}

// ownMemoryOf returns a process's own memory, 0 if the process has ended.
func ownMemoryOf(status string) (int64, error) {
	text, err := os.ReadFile(status)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	own, err := parseOwnMemory(text)
	if errors.Is(err, errNoMemory) {
		return 0, nil
	}
	return own, err
}

// memory adds a row with the peak memory of several runs. A process that is too fast to be sampled is run again.
func (b *bench) memory(peer string, st state, c contender, stdin func() io.Reader) {
	const tries = 20
	var peaks []float64
	fewest := math.MaxInt
	for range min(b.Rounds, 3) {
		check(st.before())
		peak, looks := int64(0), 0
		for try := 0; looks == 0; try++ {
			if try == tries {
				check(errors.New("it ended before its memory could be sampled"))
			}
			var err error
			peak, looks, err = watch(b.ctx, c, stdin())
			check(err)
		}
		fewest = min(fewest, looks)
		peaks = append(peaks, float64(peak)/(1<<20))
	}
	number := lab.Summarize(peaks)
	number.Median = number.High // the worst run counts
	b.add(lab.Row{
		Peer: peer, What: lab.OwnMiB, Number: number, Target: lab.AtMost(ownMemoryMax),
		Note: fmt.Sprintf("the highest peak counts; at least %d samples per run", fewest),
	})
}

func noInput() io.Reader { return nil }

// memoryFile measures with the cached file, which is mapped, and with the uncached file, which is
// read with direct reads.
func memoryFile(b *bench, hay *pagecache.File) {
	b.memory("cached", warmState(hay), b.nonzero(hay), noInput)
	b.memory("not cached", coldState(hay), b.nonzero(hay), noInput)
}

// memoryPipe sends the zeros of a haystack through a pipe, followed by a one.
func memoryPipe(b *bench) {
	b.memory("a pipe", anyState, b.thresh(b.Bytes, "find", "--nonzero", "-"), func() io.Reader {
		return io.MultiReader(io.LimitReader(zeros{}, b.Bytes), strings.NewReader("\x01"))
	})
}

// zeros is a reader of endless zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// memoryLine searches a line that is longer than any buffer: the hole of a sparse file, with a
// match at its end.
func memoryLine(b *bench) {
	const end = "owner=481516234\n"
	size := b.scaled(10_000_000_000)
	at := size - int64(len(end))
	line := b.file("line", size, func(f *os.File) error {
		_, err := f.WriteAt([]byte(end), at)
		return err
	})
	for _, re := range []string{`owner=[0-9]{9}`, `[a-z]{5}=[0-9]{9}`} {
		b.memory("--regex "+re, coldState(line), b.thresh(at, "find", "--regex", re, line.Name), noInput)
	}
}
