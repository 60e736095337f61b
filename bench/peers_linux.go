package main

import (
	"path/filepath"

	"github.com/thresh-dev/thresh/lab/peer"
)

// python returns the interpreter for which scripts/bench-setup.sh installed the libraries.
func (d *data) python() (string, error) {
	if python := peer.Python(filepath.Dir(d.folder)); python != "" {
		return python, nil
	}
	return "", peer.ErrNoLibraries
}

// pythonVersions adds the libraries' versions to those of the programs.
func (d *data) pythonVersions(to map[string]string) {
	for name, version := range peer.Libraries(peer.Python(filepath.Dir(d.folder))) {
		to[name] = version
	}
}

// versions returns the first line of each program's version.
func versions(tools ...string) map[string]string {
	out := map[string]string{}
	for _, name := range tools {
		out[name] = peer.Version(name)
	}
	return out
}

// duckDB returns DuckDB as a contender on the file; memory "" means no limit.
func (b *bench) duckDB(s *subject, question, memory string, want tableAnswer) (contender, error) {
	python, err := b.data.python()
	return contender{
		name: "DuckDB", answer: want.fromPeer, rate: ownClock(s.Bytes),
		args: peer.DuckDB(python, b.workers, memory, s.Name, question),
	}, err
}

// polars returns Polars as a contender on the file.
func (b *bench) polars(s *subject, question string, want tableAnswer) (contender, error) {
	python, err := b.data.python()
	return contender{
		name: "Polars", answer: want.fromPeer, rate: ownClock(s.Bytes),
		args: peer.Polars(python, b.workers, s.Name, question),
	}, err
}

// ownClock returns the rate according to the time that the peer measured itself.
func ownClock(bytes int64) func(o outcome) (float64, error) {
	return func(o outcome) (float64, error) {
		p, err := peer.ParseTimed(o.stdout)
		return float64(bytes) / p.Seconds, err
	}
}
