package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/internal/blank"
	"github.com/thresh-dev/thresh/internal/output/outfile"
)

// blankFlags holds the flags of blank, as typed.
type blankFlags struct {
	pattern             string
	reports             []string
	resume, verify      bool
	operator, reference string
	limit               int
	offset, length      size
	cached, raw         bool
	workers             int
	output              string
	json, quiet         bool
	progress, receipt   string
}

func newBlank(c *console) *cobra.Command {
	var f blankFlags
	cmd := &cobra.Command{
		Use:   "blank [flags] FILE...\n  thresh blank --verify CERTIFICATE...",
		Short: "is it wiped? every byte read, with a certificate",
		Long: `blank reads every byte of devices or image files and says whether all are 00, or
what --pattern says. If not, it prints the offset of the first other byte, how
many ranges there are, and a list of the first ones, in whole sectors. Several
devices are read at once. "-" is standard input.

Devices and files are read directly, past the page cache: a cached page is not
what is on the disk. Where the system does not allow that, blank reads through
the page cache and says so; --cached asks for it, and is faster for an image
that was just written. Holes of image files are not read; they are counted
apart, and are 00. A sector that cannot be read is reported, and reading goes on
behind it. Compressed files are an error: check what is inside through a pipe.

--report writes a certificate: a page to print and sign (.html), or JSON with
the same content (.json); both may be given. It has the model and serial number
where the system knows them, the times, the ranges, and what it does not
certify: areas that the drive hides (HPA, DCO, remapped sectors). A digest in it
shows damage, which --verify checks; it is no protection against forgery: for
that, sign the file (gpg --detach-sign) or the paper.

While it reads, a journal lies beside the first report. After an interruption,
even a loss of power, the same command with --resume goes on where it ended, if
the devices are the same. The certificate then lists all sessions.

If an input cannot be opened, none is read.

Exit status: 0 blank (--verify: undamaged), 1 not blank (damaged), 2 wrong usage
or an input that could not be opened, 3 part of an input could not be read or it
changed meanwhile (each unread range is printed), 130 interrupted.`,
		Example: `  thresh blank /dev/sdb --report certificate.html
  thresh blank /dev/sd[b-m] --report bay.html --report bay.json
  thresh blank /dev/sdb --report certificate.html --resume    after a power cut
  thresh blank --pattern FF disk.img
  thresh blank --verify certificate.json
  zstd -dc disk.img.zst | thresh blank -`,
		Args: requireInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := errors.Join(contradiction(cmd.Flags(), blankRules()), receiptFormat(cmd.Flags(), args))
			if err != nil {
				return &exitError{exitUsage, err}
			}
			if f.verify {
				return verifyAll(c, f.quiet, args)
			}
			return f.run(cmd, c, args)
		},
	}
	f.add(cmd)
	refuseRepeats(cmd, "report")
	return cmd
}

func (f *blankFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.pattern, "pattern", "00",
		"what every byte should be: `BYTES` in hexadecimal digits, repeated from offset 0")
	flags.StringArrayVar(&f.reports, "report", nil, "write a certificate to `FILE`.html or .json; may be repeated")
	flags.BoolVar(&f.resume, "resume", false, "go on where an interrupted run with the same --report ended")
	flags.StringVar(&f.operator, "operator", "", "`NAME` of who did it, for the certificate")
	flags.StringVar(&f.reference, "reference", "", "`TEXT` for the certificate: an order, an asset tag")
	flags.BoolVar(&f.verify, "verify", false, "check the digest of certificates instead")
	flags.IntVar(&f.limit, "limit", 100, "list at most `N` ranges of each input")
	flags.Var(&f.offset, "offset", "start at byte `N` of each input; k M G are powers of 1000, KiB MiB GiB of 1024")
	flags.Var(&f.length, "length", "read only `N` bytes of each input (default: to its end)")
	flags.BoolVar(&f.cached, "cached", false, "read through the page cache, instead of directly")
	flags.BoolVar(&f.raw, "no-decompress", false, "take compressed files as they are (default: an error)")
	flags.IntVar(&f.workers, "workers", 0, "have `N` reads in flight for each input (default: 16, on rotating disks 2)")
	flags.StringVarP(&f.output, "output", "o", "", "write the answer to `FILE`, which appears when it is complete")
	flags.StringVar(&f.receipt, "receipt", "",
		"on standard error, print what was read, how fast, and which wall it hit: `FORMAT` is line or json "+
			"(default: line, on a terminal only)")
	flags.Lookup("receipt").NoOptDefVal = "line"
	flags.StringVar(&f.progress, "progress", "auto",
		"a line for each input with rate and time left on standard error: `WHEN` is auto, always or never")
	flags.BoolVar(&f.json, "json", false, "print results as JSON lines")
	flags.BoolVarP(&f.quiet, "quiet", "q", false,
		"print nothing, set only the exit status; without --report, stop at the first other byte")
	endings := []string{"html", "json"}
	completeFlag(cmd, "report", cobra.FixedCompletions(endings, cobra.ShellCompDirectiveFilterFileExt))
}

// blankRules lists the flags that contradict each other.
func blankRules() []rule {
	return []rule{
		{[]string{"quiet"}, []string{"json", "output", "limit"}, "--quiet prints nothing"},
		{[]string{"verify"}, []string{"pattern", "report", "resume", "operator", "reference", "limit", "offset", "length",
			"cached", "no-decompress", "workers", "output", "receipt", "progress", "json"},
			"--verify reads certificates, not devices"},
	}
}

// options checks the flags and returns them as options of the check.
func (f *blankFlags) options(cmd *cobra.Command) (blank.Options, error) {
	o := blank.Options{Offset: int64(f.offset), Cached: f.cached, Raw: f.raw, Workers: f.workers, Limit: f.limit}
	flags := cmd.Flags()
	if flags.Changed("length") {
		o.Length = (*int64)(&f.length)
	}
	var err error
	if o.Pattern, err = blank.ParsePattern(f.pattern); err != nil {
		err = fmt.Errorf("--pattern: %w", err)
	}
	atLeast := func(name string, n int) error {
		if flags.Changed(name) && n < 1 {
			return fmt.Errorf("--%s %d: it must be at least 1", name, n)
		}
		return nil
	}
	err = errors.Join(err, atLeast("limit", f.limit), atLeast("workers", f.workers), f.checkReports(),
		oneOf("progress", f.progress, "auto", "always", "never"),
		oneOf("receipt", f.receipt, "", "line", "json"))
	return o, err
}

// checkReports returns an error for flags about the certificate that cannot have an effect.
func (f *blankFlags) checkReports() error {
	for i, name := range f.reports {
		if ext := filepath.Ext(name); ext != ".html" && ext != ".json" {
			return fmt.Errorf("--report %s: the name must end with .html or .json, which says what to write", name)
		}
		if slices.Contains(f.reports[:i], name) || name == f.output {
			return fmt.Errorf("--report %s: the name is given twice", name)
		}
	}
	if len(f.reports) > 0 {
		return nil
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{{"resume", f.resume}, {"operator", f.operator != ""}, {"reference", f.reference != ""}} {
		if flag.given {
			return fmt.Errorf("--%s is for a certificate: give --report too", flag.name)
		}
	}
	return nil
}

// openBlank opens all inputs. If one cannot be opened, none is read.
func openBlank(c *console, args []string, o blank.Options) (inputs []*blank.Input, err error) {
	for _, name := range args {
		in, openErr := blank.Open(name, c.in, o)
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
