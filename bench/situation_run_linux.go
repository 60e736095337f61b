package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"
)

// situationsCommand is the first argument for a run of the matrix.
const situationsCommand = "situations"

// measureBytes is the size for which situations are written down; --size scales them.
const measureBytes = 1_000_000_000

type situationOptions struct {
	only, size, thresh, out, recordAs, folder, memory string
	rounds                                            int
	bytes                                             int64
	full, record, list                                bool
}

func parseSituationOptions(args []string, stderr io.Writer) (o situationOptions, err error) {
	f := pflag.NewFlagSet("bench situations", pflag.ContinueOnError)
	f.SetOutput(stderr)
	f.SortFlags = false
	f.StringVar(&o.only, "only", "", "measure the situations whose name matches this expression")
	f.BoolVar(&o.list, "list", false, "print the names of the situations, and exit")
	f.IntVar(&o.rounds, "rounds", 5, "rounds of each situation")
	f.StringVar(&o.size, "size", "500MB", "size of the large files")
	f.BoolVar(&o.full, "full", false, "also files of 8 GB")
	f.StringVar(&o.thresh, "thresh", ownProgram, "the program to measure")
	f.StringVar(&o.folder, "data", "", "folder for the files, which are removed again "+
		"(default: in the user's cache folder)")
	f.StringVar(&o.memory, "tmpfs", "/dev/shm", "folder in memory")
	f.StringVar(&o.out, "out", "out", "folder for the report as JSON and Markdown")
	f.BoolVar(&o.record, "record", false, "keep the report in "+recordFolder+"/DATE-NAME; "+
		"situations of the same day are added")
	f.StringVar(&o.recordAs, "record-as", "", "NAME of the record (default: made from the processor's)")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.record = o.record || o.recordAs != ""
	switch bytes, err := humanize.ParseBytes(o.size); {
	case f.NArg() > 0:
		return o, fmt.Errorf("unknown argument %q", f.Arg(0))
	case err != nil || bytes < 1<<20 || bytes > 1<<40:
		return o, fmt.Errorf("--size %s: want a size from 1MiB on, for example 500MB", o.size)
	case o.rounds < 1:
		return o, fmt.Errorf("--rounds %d: must be at least 1", o.rounds)
	case o.recordAs != "" && !recordNames.MatchString(o.recordAs):
		return o, fmt.Errorf("--record-as %q: want small letters, digits and hyphens", o.recordAs)
	default:
		o.bytes = int64(bytes)
	}
	if o.folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return o, err
		}
		o.folder = filepath.Join(cache, "thresh", situationsCommand)
	}
	return o, nil
}

// runSituations measures the matrix and prints it. A situation that fails is reported, and the others
// are measured.
func runSituations(ctx context.Context, args []string, list []situation, stdout, stderr io.Writer) error {
	o, err := parseSituationOptions(args, stderr)
	if err != nil {
		return err
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	if o.list {
		for _, s := range list {
			fmt.Fprintln(stdout, s.name)
		}
		return nil
	}
	b, err := newSituations(o, stderr)
	if err != nil {
		return err
	}
	defer b.data.close() // unlocks the folder
	failed := 0
	for _, s := range list {
		switch {
		case ctx.Err() != nil || !only.MatchString(s.name):
			continue
		case s.full && !o.full:
			b.skip(s.name, "only with --full")
			continue
		}
		fmt.Fprintf(stderr, "%s\n", s.name)
		if err := b.measure(ctx, &s); err != nil {
			failed++
			b.skip(s.name, "FAILED: "+err.Error())
		}
	}
	if err := b.report.print(stdout); err != nil {
		return err
	}
	if err := b.save(stdout); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted")
	case failed > 0:
		return fmt.Errorf("%d situations failed", failed)
	}
	return nil
}

func newSituations(o situationOptions, stderr io.Writer) (*situations, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := upToDate(o.thresh, "."); err != nil {
		return nil, fmt.Errorf("no program to measure: %w (make build makes one)", err)
	}
	if o.thresh, err = filepath.Abs(o.thresh); err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	d, err := openData(o.folder)
	if err != nil {
		return nil, err
	}
	b := &situations{
		situationOptions: o, self: self, data: d, peers: &data{folder: benchFolder(cache)}, log: stderr,
		answers: map[string]string{},
	}
	b.report = &situationReport{
		Date: time.Now(), Machine: machineFacts(d.folder), Rounds: o.rounds, Bytes: o.bytes,
		Peers: versions("rg", "wc", o.thresh),
	}
	b.report.Peers["thresh"] = b.report.Peers[o.thresh]
	delete(b.report.Peers, o.thresh)
	b.peers.pythonVersions(b.report.Peers)
	return b, nil
}

func (b *situations) skip(name, why string) {
	b.report.Skipped = append(b.report.Skipped, name+": "+why)
	fmt.Fprintf(b.log, "  %s\n", why)
}

// save writes the report, and keeps it as a record if that was asked for.
func (b *situations) save(stdout io.Writer) error {
	hide := hides(b.folder, b.self)
	folder := filepath.Join(b.out, "situations-"+b.report.Date.UTC().Format("20060102T150405Z"))
	if err := b.report.save(folder, false, nil); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stdout, "\nwritten to %s\n", folder); err != nil || !b.record {
		return err
	}
	name := b.report.Date.UTC().Format("2006-01-02") + "-" + recordName(b.recordAs, b.report.Machine)
	folder = filepath.Join(recordFolder, name)
	if err := b.report.save(folder, true, hide); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "recorded in %s\n", folder)
	return err
}
