package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Scripts ask the Python libraries. A script times its queries itself, so the start of the interpreter
// and the imports do not count.

//go:embed peers/ask_duckdb.py
var askDuckDB string

//go:embed peers/ask_polars.py
var askPolars string

// python returns the interpreter for which scripts/bench-setup.sh installed the libraries.
func (d *data) python() (string, error) {
	name := filepath.Join(filepath.Dir(d.folder), "venv", "bin", "python")
	if _, err := os.Stat(name); err != nil {
		return "", errors.New("DuckDB and Polars are not installed; make bench-setup installs them")
	}
	return name, nil
}

// pythonVersions adds the libraries' versions to those of the programs.
func (d *data) pythonVersions(to map[string]string) {
	to["duckdb"], to["polars"] = "not installed", "not installed"
	python, err := d.python()
	if err != nil {
		return
	}
	text, err := exec.Command(python, "-c",
		"import duckdb, polars; print(duckdb.__version__, polars.__version__)").Output()
	if versions := strings.Fields(string(text)); err == nil && len(versions) == 2 {
		to["duckdb"], to["polars"] = versions[0], versions[1]
	}
}

// duckDB returns DuckDB as a contender on the file; memory "" means no limit.
func (b *bench) duckDB(s *subject, question, memory string, want tableAnswer) (contender, error) {
	python, err := b.data.python()
	return contender{
		name: "DuckDB", answer: want.fromPeer, rate: ownClock(s.Bytes),
		args: []string{python, "-c", askDuckDB, strconv.Itoa(b.workers), memory, s.Name, question},
	}, err
}

// polars returns Polars as a contender on the file.
func (b *bench) polars(s *subject, question string, want tableAnswer) (contender, error) {
	python, err := b.data.python()
	return contender{
		name: "Polars", answer: want.fromPeer, rate: ownClock(s.Bytes),
		args: []string{python, "-c", askPolars, strconv.Itoa(b.workers), s.Name, question},
	}, err
}

// peerAnswer is the output of the scripts.
type peerAnswer struct {
	Seconds float64         `json:"seconds"`
	Answer  json.RawMessage `json:"answer"`
}

func parsePeer(stdout string) (p peerAnswer, err error) {
	if err := json.Unmarshal([]byte(stdout), &p); err != nil {
		return p, fmt.Errorf("answer %q: %w", firstLine(stdout), err)
	}
	if p.Seconds <= 0 {
		return p, fmt.Errorf("answer %q has no time", firstLine(stdout))
	}
	return p, nil
}

// ownClock returns the rate according to the time that the peer measured itself.
func ownClock(bytes int64) func(o outcome) (float64, error) {
	return func(o outcome) (float64, error) {
		p, err := parsePeer(o.stdout)
		return float64(bytes) / p.Seconds, err
	}
}
