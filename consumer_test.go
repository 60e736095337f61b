package thresh

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/receipt"
	"golang.org/x/sys/cpu"
)

// consumer is a program of somebody who imports the module. It prints what its kernels are,
// and the receipt of a question.
const consumer = `package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
)

func main() {
	ctx := context.Background()
	text, err := thresh.Text("needle")
	if err != nil {
		log.Fatal(err)
	}
	rows, err := thresh.Rows(',')
	if err != nil {
		log.Fatal(err)
	}
	var kernels []string
	for _, q := range []*thresh.Query{text, rows, thresh.NonZero(), thresh.LineCount(), thresh.WordCount()} {
		kernels = append(kernels, q.Kernel())
	}
	in, err := thresh.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	report, err := thresh.Find(ctx, in, thresh.NonZero(), options.Find{Run: options.Run{Receipt: true}}, func([]answer.Hit) error { return nil })
	if err != nil {
		log.Fatal(err)
	}
	err = json.NewEncoder(os.Stdout).Encode(map[string]any{"kernels": kernels, "receipt": report.Receipt})
	if err != nil {
		log.Fatal(err)
	}
}
`

// TestConsumer builds a program outside the repository that imports the module, as everybody
// does: without the experiment. Its kernels must be the vector ones of this processor, which
// is asked here by itself.
func TestConsumer(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the module anew")
	}
	offered := processorOffers()
	if len(offered) == 0 {
		t.Skipf("no vector kernels for %s, or this processor is too old for them", runtime.GOARCH)
	}
	var said struct {
		Kernels []string
		Receipt receipt.Receipt
	}
	if err := json.Unmarshal(runConsumer(t), &said); err != nil {
		t.Fatal(err)
	}
	for _, k := range said.Kernels {
		if chosen := k[strings.LastIndexByte(k, ' ')+1:]; !slices.Contains(offered, chosen) {
			t.Errorf("%s: the program chose %s, want one of %v", k, chosen, offered)
		}
	}
	if r := said.Receipt; r.Kernel != "nonzero "+offered[0] {
		t.Errorf("the receipt names %q, want nonzero %s", r.Kernel, offered[0])
	}
}

// runConsumer builds and runs the program in a module of its own, with nothing but what the
// module cache holds, and returns what it prints.
func runConsumer(t *testing.T) []byte {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	mod := fmt.Sprintf("module example.com/consumer\n\ngo 1.26.0\n\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]q\n",
		"github.com/thresh-dev/thresh", filepath.ToSlash(here))
	folder := t.TempDir()
	for name, text := range map[string][]byte{
		"go.mod": []byte(mod), "go.sum": sums, "main.go": []byte(consumer), "zeros": make([]byte, 1<<20)} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(folder, "consumer.exe")
	run := func(name string, args ...string) []byte {
		cmd := exec.Command(name, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GOEXPERIMENT=", "GOAMD64=", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off",
			"THRESH_ISA=", "XDG_CACHE_HOME="+folder, "GOCACHE="+goEnv(t, "GOCACHE"))
		var complaints bytes.Buffer
		cmd.Stderr = &complaints
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, complaints.Bytes())
		}
		return out
	}
	run("go", "build", "-o", program, ".")
	return run(program, "zeros")
}

func goEnv(t *testing.T, name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// processorOffers returns the instruction sets of this processor that have kernels, that of
// the search for non-zero bytes first.
func processorOffers() (sets []string) {
	x86 := cpu.X86
	add := func(name string, has bool) {
		if has {
			sets = append(sets, name)
		}
	}
	avx512 := x86.HasAVX512F && x86.HasAVX512CD && x86.HasAVX512BW && x86.HasAVX512DQ && x86.HasAVX512VL
	add("avx512", avx512)
	add("avx512vbmi2", avx512 && x86.HasAVX512VBMI2)
	add("avx2", x86.HasAVX2)
	add("sve", runtime.GOARCH == "arm64" && cpu.ARM64.HasSVE)
	add("neon", runtime.GOARCH == "arm64")
	return sets
}
