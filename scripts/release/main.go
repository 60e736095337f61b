// Command release makes what a release has: for each program and system a static binary in an archive, deb and rpm
// packages, a list of what is in each binary (SPDX), files for Homebrew, Scoop, winget and Nix, and checksums of all.
// scripts/release.sh runs it. The same commit makes the same files.
//
//	go run ./scripts/release -version 0.1.0 -seconds 1790000000 -tools FOLDER -o out/release
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// release is what all its files have in common.
type release struct {
	version string
	at      time.Time // of every file
	folder  string
	tools   string // a folder with the programs nfpm and thresh-sbom
}

func main() {
	var r release
	var seconds int64
	flag.StringVar(&r.version, "version", "", "version without v")
	flag.Int64Var(&seconds, "seconds", 0, "time of the files, since 1970")
	flag.StringVar(&r.tools, "tools", "", "folder with nfpm and thresh-sbom")
	flag.StringVar(&r.folder, "o", "out/release", "folder to write")
	flag.Parse()
	r.at = time.Unix(seconds, 0).UTC()
	if err := r.run(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// makers is how many programs are made at the same time: while one links, which takes one processor, another compiles.
const makers = 2

func (r *release) run() error {
	if r.version == "" || r.tools == "" {
		return errors.New("-version and -tools are needed")
	}
	if err := errors.Join(os.RemoveAll(r.folder), os.MkdirAll(r.folder, 0o755)); err != nil {
		return err
	}
	type work struct {
		program
		target
	}
	todo, done := make(chan work), make(chan error)
	for range makers {
		go func() {
			var err error
			for w := range todo {
				began := time.Now()
				if e := r.make(w.program, w.target); e != nil {
					err = errors.Join(err, fmt.Errorf("%s for %v: %w", w.Name, w.target, e))
				}
				fmt.Printf("   %s %v: %.0f s\n", w.Name, w.target, time.Since(began).Seconds())
			}
			done <- err
		}()
	}
	for _, p := range programs {
		for _, t := range p.targets() {
			todo <- work{p, t}
		}
	}
	close(todo)
	var err error
	for range makers {
		err = errors.Join(err, <-done)
	}
	if err != nil {
		return err
	}
	sums, err := sumsOf(r.folder)
	if err != nil {
		return err
	}
	for _, p := range programs {
		if p.linux {
			continue
		}
		if err := r.manifests(p, sums); err != nil {
			return err
		}
	}
	return writeSums(r.folder)
}

// make builds a program for a system, and what contains it.
func (r *release) make(p program, t target) error {
	temp, err := os.MkdirTemp("", "thresh-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	binary := filepath.Join(temp, p.Name+t.suffix())
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags="+p.linker, "-o", binary,
		"./cmd/"+p.Name)
	build.Dir = p.module
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOAMD64=v1", "GOOS="+t.OS, "GOARCH="+t.Arch)
	if p.workspace {
		build.Env = append(build.Env, "GOWORK=")
	}
	if err := run(build); err != nil {
		return err
	}
	document := filepath.Join(r.folder, p.stem(r.version, t)+".spdx.json")
	sbom := exec.Command(filepath.Join(r.tools, "thresh-sbom"), "-created", r.at.Format(time.RFC3339),
		"-bundle", charts, binary, document)
	if err := run(sbom); err != nil {
		return err
	}
	if err := r.archive(p, t, binary); err != nil {
		return err
	}
	if t.OS != "linux" || len(p.packaged) == 0 {
		return nil
	}
	return r.pack(p, t, binary)
}

// run runs a command, and shows what it prints if it fails.
func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, out)
	}
	return nil
}
