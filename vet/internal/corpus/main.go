// Command corpus runs the rules over well-known public modules, each at a pinned version, and compares
// what they report with findings.json, in which each finding has a verdict from reading the code.
//
//	go run ./vet/internal/corpus                     all modules, half an hour
//	go run ./vet/internal/corpus -only 'caddy|chi'   some
//	go run ./vet/internal/corpus -page               only writes docs/vet-findings.md anew
//
// It runs at the root of this repository. Modules are downloaded to the module cache, and analysed there
// by go vet -vettool. A new finding is added to findings.json without a verdict, and makes the command
// fail until it has one; one that is no longer reported is removed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

// The files of this command.
const (
	listFile     = "vet/internal/corpus/modules.txt"
	findingsFile = "vet/internal/corpus/findings.json"
	pageFile     = "docs/vet-findings.md"
)

func main() {
	only := flag.String("only", "", "only modules whose path matches this `regexp`")
	tool := flag.String("tool", "", "the `program` for go vet -vettool; by default vet/cmd/thresh-vet is built")
	page := flag.Bool("page", false, "only write the page")
	flag.Parse()
	err := writePage(findingsFile, pageFile)
	if !*page {
		err = run(context.Background(), *only, *tool)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

// run analyses the modules, and adds what it found to the files.
func run(ctx context.Context, only, tool string) (err error) {
	chosen, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	modules, err := readModules(listFile)
	if err != nil {
		return err
	}
	known, err := readRecord(findingsFile)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "thresh-corpus-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if tool == "" {
		tool = filepath.Join(scratch, "thresh-vet")
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", tool, "./cmd/thresh-vet")
		build.Dir = "vet"
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build thresh-vet: %w", err)
		}
	}
	for _, m := range modules {
		if !chosen.MatchString(m.Path) {
			continue
		}
		begin := time.Now()
		got, err := m.analyse(ctx, tool, scratch)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		fmt.Printf("%s %s: %d packages, %d not loaded, %d findings, %.0f s\n", m.Path, m.Version,
			got.Packages, len(got.Unloaded), len(got.Findings), time.Since(begin).Seconds())
		known.take(got, os.Stdout)
		if err := known.write(findingsFile); err != nil {
			return err
		}
	}
	known.drop(modules)
	if err := known.write(findingsFile); err != nil {
		return err
	}
	if err := writePage(findingsFile, pageFile); err != nil {
		return err
	}
	return known.check()
}
