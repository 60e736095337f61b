package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/internal/blank"
	"github.com/thresh-dev/thresh/internal/blank/certificate"
	shared "github.com/thresh-dev/thresh/internal/certificate"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/outfile"
)

// blankFlags holds the flags of blank, as typed.
type blankFlags struct {
	command.CertificateFlags
	pattern        string
	limit          int
	offset, length command.Size
	cached, raw    bool
	workers        int
	command.Shared // those about printing
}

func newBlank() *command.Verb {
	f := &blankFlags{pattern: "00", limit: 100}
	return &command.Verb{
		Name:  "blank",
		Usage: "[flags] FILE...\n  thresh blank --verify CERTIFICATE...",
		Short: "is it wiped? every byte read, with a certificate",
		Long: `blank reads every byte of devices or image files and says whether all are 00, or
what --pattern says. If not, it prints the offset of the first other byte, how
many ranges there are, and a list of the first ones, in whole sectors. Several
devices are read at once. "-" is standard input.

Direct reads:
  Devices and files are read directly, past the page cache: a cached page is
  not what is on the disk. Where the system does not allow that, blank reads
  through the page cache and says so; --cached asks for it, and is faster for
  an image that was just written. Holes of image files are not read; they are
  counted apart, and are 00. A sector that cannot be read is reported, and
  reading goes on after it. Compressed files are an error: check what is
  inside through a pipe.

Certificates:
  --report writes a certificate: a page to print and sign (.html), or JSON
  with the same content (.json); both may be given. It has the model and
  serial number where the system knows them, the times, the ranges, and what
  it does not certify: areas that the drive hides (HPA, DCO, remapped
  sectors). A digest in it shows damage, which --verify checks; it is no
  protection against forgery: for that, sign the file (gpg --detach-sign) or
  the paper.

After an interruption:
  While it reads, a journal lies beside the first report. After an
  interruption, even a loss of power, the same command with --resume goes on
  where it ended, if the devices are the same. The certificate then lists all
  sessions.

Inputs:
  If an input cannot be opened, none is read.

Exit status:
  0    blank (--verify: undamaged)
  1    not blank (damaged)
  2    wrong usage, or an input that could not be opened
  3    part of an input could not be read or it changed meanwhile; each unread
       range is printed
  130  interrupted`,
		Examples: `  thresh blank /dev/sdb --report certificate.html
  thresh blank /dev/sd[b-m] --report bay.html --report bay.json
  thresh blank /dev/sdb --report certificate.html --resume    after a power cut
  thresh blank --pattern FF disk.img
  thresh blank --verify certificate.json
  zstd -dc disk.img.zst | thresh blank -`,
		Common: "pattern report resume operator reference verify limit offset length output json",
		Flags: slices.Concat([]command.Flag{
			{Name: "pattern", To: &f.pattern,
				Help: "what every byte should be: `BYTES` in hexadecimal digits, repeated from offset 0"},
		}, f.Certificates(), []command.Flag{
			{Name: "limit", To: &f.limit, Positive: "omit the flag for the default",
				Help: "list at most `N` ranges of each input"},
		}, command.Section(command.Reading, []command.Flag{
			{Name: "offset", To: &f.offset,
				Help: "start at byte `N` of each input; k M G are powers of 1000, KiB MiB GiB of 1024"},
			{Name: "length", To: &f.length, Help: "read only `N` bytes of each input (default: to its end)"},
			{Name: "cached", To: &f.cached, Help: "read through the page cache, instead of directly"},
			{Name: "no-decompress", To: &f.raw, Help: "take compressed files as they are (default: an error)"},
			{Name: "workers", To: &f.workers, Positive: "omit the flag for the default",
				Help: "have `N` reads in flight for each input (default: 16, on rotating disks 2)"},
		}), command.Reword(f.PrintingFlags(),
			command.Flag{Name: "output", Help: "write the answer to `FILE`, which appears when it is complete"},
			command.Flag{Name: "progress", Help: "a line for each input with rate and time left on standard error: " +
				"`WHEN` is auto, always or never"},
			command.Flag{Name: "quiet", Help: "print nothing, set only the exit status; without --report, stop at the " +
				"first other byte"})),
		Conflicts: []command.Conflict{
			{Flags: "quiet", With: "json output limit", Why: "--quiet prints nothing"},
			{Flags: "verify", With: "pattern report resume operator reference limit offset length cached no-decompress " +
				"workers output receipt progress json", Why: "--verify reads certificates, not devices"},
		},
		ArgsMax: -1,
		Run: func(ctx context.Context, c *command.Call) error {
			switch err := c.Required(); {
			case err != nil:
				return err
			case f.Verify:
				return command.VerifyCertificates(c.Console, f.Quiet, c.Args, readCertificate)
			}
			return f.run(ctx, c)
		},
	}
}

// options checks the flags and returns them as options of the check.
func (f *blankFlags) options(c *command.Call) (o blank.Options, err error) {
	o = blank.Options{Offset: int64(f.offset), Cached: f.cached, Raw: f.raw, Workers: f.workers, Limit: f.limit}
	if c.Given("length") {
		o.Length = (*int64)(&f.length)
	}
	if o.Pattern, err = blank.ParsePattern(f.pattern); err != nil {
		err = fmt.Errorf("--pattern: %w", err)
	}
	return o, errors.Join(err, f.Check(f.Output))
}

// readCertificate checks a certificate, and returns what it says.
func readCertificate(document []byte) (issue shared.Issue, says []string, err error) {
	c, err := certificate.Verify(document)
	for _, d := range c.Devices {
		says = append(says, d.Name+": "+d.Sentence)
	}
	return c.Issue, says, err
}

// openBlank opens all inputs. If one cannot be opened, none is read.
func openBlank(c *command.Console, args []string, o blank.Options) (inputs []*blank.Input, err error) {
	for _, name := range args {
		in, openErr := blank.Open(name, c.In, o)
		if openErr != nil {
			err = errors.Join(err, openErr)
			continue
		}
		for _, other := range inputs {
			if other.OS() != nil && outfile.Same(other.OS(), name) {
				err = errors.Join(err, fmt.Errorf("%s and %s are the same", other.Name, name))
			}
		}
		inputs = append(inputs, in)
	}
	if err != nil {
		return nil, errors.Join(err, closeBlank(inputs))
	}
	return inputs, nil
}

func closeBlank(inputs []*blank.Input) (err error) {
	for _, in := range inputs {
		err = errors.Join(err, in.Close())
	}
	return err
}
