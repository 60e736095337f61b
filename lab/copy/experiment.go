package copy

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"os"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
)

// Experiment returns the experiment "copy".
func Experiment() *lab.Experiment {
	e := &lab.Experiment{
		Name: "copy",
		Article: lab.Article{
			Title: "Zero-copy in Go: sendfile, splice, and the cost of io.Copy", Author: "segflow",
			Machine: "Ryzen 5 9600X, 16 GiB, Ubuntu 24.04 in WSL2, Linux 6.6, Go 1.22.12",
		},
		Method: lab.Method{Runs: 3,
			Text: "3 runs of ten transfers one after another, server and client on a processor each; before the time, one " +
				"transfer to hash what arrives, and one under strace, where it is installed, to count system calls"},
		Metric: lab.Metric{Unit: "ms of server processor time per GiB", Counted: true, Of: millisPerGiB},
		Bytes:  512 << 20,
		Inputs: []lab.Input{{Name: input, Share: 1, Version: 1, Write: writeRandom}},
		Claims: claims(),
	}
	for _, v := range variants() {
		e.Variants = append(e.Variants, v.variant())
	}
	return e
}

const input = "file"

// warm is the only setting: the file is in the page cache.
var warm = lab.Setting{State: lab.Warm}

// variant returns v as a variant of the lab.
func (v variant) variant() lab.Variant {
	l := lab.Variant{ID: "copy/" + v.id, What: v.what, Work: v.work(), Product: v.product, Peer: v.other != nil,
		Input: input, Settings: []lab.Setting{warm}, Missing: v.missing,
		Run: func(ctx context.Context, t lab.Task) (lab.Outcome, error) { return v.outcome(ctx, t.Path) }}
	if v.published != (lab.Published{}) {
		v.published.Setting = warm
		l.Published = []lab.Published{v.published}
	}
	return l
}

// work is what a variant does: a server sends a file, a relay what a server sends.
func (v variant) work() string {
	if v.relays() {
		return "relay"
	}
	return "serve"
}

// missing says what this machine lacks to run the variant.
func (v variant) missing() string {
	if lacks := missing(); lacks != "" || v.other == nil {
		return lacks
	}
	return peer.NotInstalled(v.other.name)
}

// timedTransfers is how many transfers the article times.
const timedTransfers = 10

// outcome hashes one transfer, traces one, and times ten.
func (v variant) outcome(ctx context.Context, file string) (lab.Outcome, error) {
	hashed, err := v.run(ctx, options{file: file, hash: true})
	if err != nil {
		return lab.Outcome{}, err
	}
	var traced *outcome
	if _, err := strace(); err == nil {
		t, err := v.run(ctx, options{file: file, trace: true})
		if err != nil {
			return lab.Outcome{}, err
		}
		traced = &t
	}
	timed, err := v.run(ctx, options{file: file, transfers: timedTransfers})
	if err != nil {
		return lab.Outcome{}, err
	}
	return summary(hashed, traced, timed), nil
}

// The names of what only this experiment reports. The calls are those of the traced transfer; those per
// GiB are from the kernel's counters without one.
const (
	serverSeconds   = "server_cpu_seconds"
	callsPerGiB     = "calls_per_gib"
	sendfilePercent = "sendfile_percent"
	splicePercent   = "splice_percent"
	copiedPercent   = "copied_percent"
)

// summary puts the three measurements of a run together. traced may be nil.
func summary(hashed outcome, traced *outcome, timed outcome) lab.Outcome {
	o := lab.Outcome{Seconds: timed.wallSeconds, Bytes: timed.bytes, Answer: hashed.sum,
		UserSeconds: timed.userSeconds, SystemSeconds: timed.systemSeconds,
		Extra: map[string]float64{serverSeconds: timed.userSeconds + timed.systemSeconds}}
	best := timed
	if traced != nil {
		best = *traced
		for name, c := range map[string]count{"read_calls": best.calls.read, "write_calls": best.calls.write,
			"sendfile_calls": best.calls.sendfile, "splice_calls": best.calls.splice} {
			o.Extra[name] = float64(c.calls)
		}
	}
	s := best.shares()
	o.Extra[sendfilePercent], o.Extra[splicePercent], o.Extra[copiedPercent] = 100*s.sendfile, 100*s.splice, 100*s.copied
	if n, known := best.callsPerGiB(); known {
		o.Extra[callsPerGiB] = n
		o.Calls = int64(n * float64(timed.bytes) / (1 << 30))
	}
	return o
}

// millisPerGiB returns the server's processor time for each GiB sent.
func millisPerGiB(o lab.Outcome) float64 {
	return o.Extra[serverSeconds] * 1e3 / (float64(o.Bytes) / (1 << 30))
}

// writeRandom writes a file of random bytes, always the same ones. The answer is its hash.
func writeRandom(ctx context.Context, path string, bytes int64) (answer string, err error) {
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	h, random := sha256.New(), rand.NewChaCha8([32]byte{1})
	b := bufio.NewWriterSize(f, 1<<20)
	for done := int64(0); done < bytes && err == nil; {
		n := min(bytes-done, 16<<20)
		_, err = io.CopyN(io.MultiWriter(b, h), random, n)
		done, err = done+n, errors.Join(err, ctx.Err())
	}
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, b.Flush(), f.Close())
}
