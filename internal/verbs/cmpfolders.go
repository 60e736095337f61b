package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/options"
)

// cmpFolderFlags holds the flags of cmp that are about folders, as typed.
type cmpFolderFlags struct {
	meta     []string
	zeroByte bool
}

const cmpFoldersHelp = `Folders:
  -r compares two folders, and all below them: which names only one of them
  has, and which differ. Each difference is a line, in the order of the names:
    - PATH   only A has it      S PATH   files of different sizes
    + PATH   only B has it      C PATH   files of different content
    T PATH   different types    L PATH   links that say something else
    ? PATH   it could not be read, and so not be compared
    M PATH   (a tab, and) what of --meta differs
  A folder that only one has is one line, and has a slash at its end. Links are
  compared, not followed; devices, FIFOs and sockets are never opened. Files of
  different sizes are not read, files with several names are read once. A name
  with control characters, quotes or bytes that are not UTF-8 is printed in
  quotes, as git does it. Compressed files are compared as they are.`

// cmpMetas are the values of --meta.
var cmpMetas = []string{"mode", "owner", "mtime"}

func (f *cmpFolderFlags) flags() []command.Flag {
	return command.Section("Folders:", []command.Flag{
		{Name: "meta", To: f.setMeta, Suggest: append(slices.Clone(cmpMetas), strings.Join(cmpMetas, ",")),
			Help: "with -r, compare these too: `LIST` is some of mode (permissions), owner (and group) and mtime"},
		{Name: "null", Short: "0", To: &f.zeroByte,
			Help: "with -r, end lines with a zero byte, and print names as they are"},
	})
}

func (f *cmpFolderFlags) setMeta(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		if !slices.Contains(cmpMetas, name) {
			return fmt.Errorf("%q is unknown (known: %s)", name, strings.Join(cmpMetas, ", "))
		}
		f.meta = append(f.meta, name)
	}
	return nil
}

// cmpFolderConflicts lists the flags that mean nothing for folders.
var cmpFolderConflicts = []command.Conflict{
	{Flags: "recursive", With: "all block context verbose print-bytes",
		Why: "-r says which files differ; compare two of them to see where"},
	{Flags: "recursive", With: "ignore-initial bytes offset length prefix", Why: "-r compares whole files"},
	{Flags: "recursive", With: "explain dry-run", Why: "a plan is about two files"},
	{Flags: "recursive", With: "s3-endpoint", Why: "-r compares folders of this machine"},
	{Flags: "null", With: "json", Why: "JSON has lines of its own"},
	{Flags: "quiet silent", With: "null", Why: "nothing is printed"},
}

// folders compares two folders.
func (f *cmpFlags) folders(ctx context.Context, c *command.Call) error {
	switch {
	case len(c.Args) != 2:
		return command.Hint(errors.New("-r compares two folders"), "thresh cmp -r A B")
	case slices.ContainsFunc(c.Args, func(name string) bool { return name == "-" || thresh.IsRemote(name) }):
		return errors.New("-r compares folders of this machine")
	}
	run, err := command.NewRun(c, &f.Shared, c.Args)
	if err != nil {
		return err
	}
	run.Several = false // one answer about two folders
	s := &cmpFoldersRun{Local: command.NewLocal(ctx, run), flags: f}
	s.options = options.CompareFolders{Run: run.Options.Run, First: f.Quiet, Past: f.cold,
		Mode: slices.Contains(f.meta, "mode"), Owner: slices.Contains(f.meta, "owner"),
		Modified: slices.Contains(f.meta, "mtime")}
	s.options.Progress = &s.Bytes
	return run.Do(ctx, s)
}

// cmpFoldersRun is one run of cmp -r.
type cmpFoldersRun struct {
	*command.Local
	flags   *cmpFlags
	options options.CompareFolders
	seen    int64 // differences
	found   answer.FolderComparison
}

// Ask compares the folders.
func (s *cmpFoldersRun) Ask(ctx context.Context) (err error) {
	s.Catch()
	bar := s.Bar(s.Inputs[0]+" and "+s.Inputs[1], 0, true)
	s.found, err = thresh.CompareFolders(ctx, s.Inputs[0], s.Inputs[1], s.options, s.print)
	bar.Stop()
	s.Add(answer.Report{Bytes: 2 * s.found.Bytes, Skipped: s.found.Skipped, Receipt: s.found.Receipt})
	s.Found = err == nil && s.found.Equal
	if differ := s.found.OnlyInFirst + s.found.OnlyInSecond + s.found.Changed; s.Quiet && differ > 0 && err == nil {
		return command.Exit(command.Nothing, nil) // whatever could not be read
	}
	var path *fs.PathError
	if errors.Is(err, syscall.ENOTDIR) && errors.As(err, &path) {
		err = command.Hint(fmt.Errorf("%s is not a folder", path.Path), "-r compares two folders; leave it out for two files")
	}
	return s.InputError(err)
}

// print prints differences.
func (s *cmpFoldersRun) print(found []answer.FolderDifference) error {
	for i := range found {
		d := &found[i]
		if d.Kind == answer.NotCompared {
			for _, err := range eachError(d.Err) {
				s.Doubt(err)
			}
		}
		s.seen++
		if s.Quiet || s.flags.limit > 0 && s.seen > s.flags.limit {
			continue
		}
		var err error
		if s.JSON {
			err = s.Out.JSON(newCmpFolderLine(d))
		} else {
			_, err = s.Out.Write(appendFolderDifference(nil, d, s.flags.zeroByte))
		}
		if err != nil {
			return err
		}
	}
	return s.Out.Flush()
}

// eachError returns the errors that were joined to one.
func eachError(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// appendFolderDifference appends a difference as a line, or with a zero byte at its end.
func appendFolderDifference(b []byte, d *answer.FolderDifference, zeroByte bool) []byte {
	path := d.Path
	if e := cmp.Or(d.A, d.B); e != nil && e.Mode.IsDir() && d.Kind != answer.DifferentType && path != "." {
		path += "/"
	}
	b = append(b, byte(d.Kind), ' ')
	if zeroByte {
		return append(append(b, path...), 0)
	}
	b = appendName(b, path)
	if len(d.Meta) > 0 {
		b = append(append(b, '\t'), strings.Join(d.Meta, ",")...)
	}
	return append(b, '\n')
}

// appendName appends a name as git prints it: in quotes, with escapes, if it has characters that no line should have.
func appendName(b []byte, name string) []byte {
	plain := func(c rune) bool { return c != utf8.RuneError && c != '"' && c != '\\' && strconv.IsPrint(c) }
	if name != "" && !strings.ContainsFunc(name, func(c rune) bool { return !plain(c) }) {
		return append(b, name...)
	}
	b = append(b, '"')
	for i := 0; i < len(name); {
		c, n := utf8.DecodeRuneInString(name[i:])
		if plain(c) {
			b = append(b, name[i:i+n]...)
			i += n
			continue
		}
		for ; n > 0; i, n = i+1, n-1 {
			if at := strings.IndexByte("\a\b\t\n\v\f\r\"\\", name[i]); at >= 0 {
				b = append(b, '\\', `abtnvfr"\`[at])
			} else {
				b = fmt.Appendf(b, "\\%03o", name[i])
			}
		}
	}
	return append(b, '"')
}

// cmpFolderKinds are the words of JSON for the kinds of differences.
var cmpFolderKinds = map[answer.DifferenceKind]string{
	answer.OnlyInFirst: "only_in_a", answer.OnlyInSecond: "only_in_b", answer.DifferentType: "type",
	answer.DifferentSize: "size", answer.DifferentContent: "content", answer.DifferentTarget: "target",
	answer.DifferentMeta: "meta", answer.NotCompared: "unread",
}

// cmpFolderLine is a difference in JSON.
type cmpFolderLine struct {
	Path   command.Text    `json:"path"`
	Kind   string          `json:"kind"`
	A      *cmpFolderEntry `json:"a,omitempty"`
	B      *cmpFolderEntry `json:"b,omitempty"`
	Offset *int64          `json:"offset,omitempty"`
	Meta   []string        `json:"meta,omitempty"`
	Error  command.Text    `json:"error,omitempty"`
}

// cmpFolderEntry is what a folder says about a name, in JSON.
type cmpFolderEntry struct {
	Type   string       `json:"type"`
	Bytes  *int64       `json:"bytes,omitempty"`
	Target command.Text `json:"target,omitempty"`
	Device *uint64      `json:"device,omitempty"`
	Mode   string       `json:"mode,omitempty"`
	Owner  *uint32      `json:"owner,omitempty"`
	Group  *uint32      `json:"group,omitempty"`
	MTime  string       `json:"mtime,omitempty"`
}

func newCmpFolderLine(d *answer.FolderDifference) cmpFolderLine {
	l := cmpFolderLine{Path: command.Text(d.Path), Kind: cmpFolderKinds[d.Kind], Meta: d.Meta}
	l.A, l.B = newCmpFolderEntry(d.A, d.Meta), newCmpFolderEntry(d.B, d.Meta)
	if d.Kind == answer.DifferentContent {
		l.Offset = &d.Off
	}
	if d.Err != nil {
		l.Error = command.Text(d.Err.Error())
	}
	return l
}

// newCmpFolderEntry returns what is printed of an entry: what the difference is about.
func newCmpFolderEntry(e *answer.Entry, meta []string) *cmpFolderEntry {
	if e == nil {
		return nil
	}
	p := &cmpFolderEntry{Type: typeName(e.Mode), Target: command.Text(e.Target)}
	if e.Mode.IsRegular() {
		p.Bytes = &e.Bytes
	}
	if e.Mode&fs.ModeDevice != 0 {
		p.Device = &e.Device
	}
	for _, of := range meta {
		switch of {
		case "mode":
			p.Mode = e.Mode.String()
		case "owner":
			p.Owner, p.Group = &e.Owner, &e.Group
		case "mtime":
			p.MTime = e.Modified.UTC().Format("2006-01-02T15:04:05.999999999Z")
		}
	}
	return p
}

// typeNames are the words for types, the first that fits.
var typeNames = []struct {
	bits fs.FileMode
	name string
}{
	{fs.ModeDir, "folder"}, {fs.ModeSymlink, "link"}, {fs.ModeNamedPipe, "fifo"}, {fs.ModeSocket, "socket"},
	{fs.ModeCharDevice, "character device"}, {fs.ModeDevice, "block device"}, {fs.ModeIrregular, "other"}, {0, "file"},
}

func typeName(mode fs.FileMode) string {
	for _, t := range typeNames {
		if mode&t.bits == t.bits {
			return t.name
		}
	}
	panic("thresh: bug: the last type fits always")
}

// End prints what comes after the differences.
func (s *cmpFoldersRun) End(err error) error {
	if err != nil || s.Quiet {
		return err
	}
	if s.JSON {
		err = s.Out.JSON(map[string]any{"summary": s.summary()})
	} else if s.Out.Terminal() {
		_, err = fmt.Fprintln(s.Out, s.text())
	}
	return errors.Join(err, s.Out.Flush())
}

// text says for a person what was found.
func (s *cmpFoldersRun) text() string {
	r := &s.found
	compared := numeral.CountGrouped(r.Files, "file") + ", " + bytesize.Short(r.Bytes+r.Skipped)
	if s.Complete && r.Equal {
		return "equal: " + compared
	}
	var parts []string
	for _, p := range []struct {
		what string
		n    int64
	}{{"different", r.Changed}, {"only in " + s.Inputs[0], r.OnlyInFirst}, {"only in " + s.Inputs[1], r.OnlyInSecond},
		{"not read", r.Unread}} {
		if p.n > 0 {
			parts = append(parts, p.what+": "+numeral.Grouped(p.n))
		}
	}
	if s.Interrupted {
		compared += ", until it was interrupted"
	}
	return strings.Join(append(parts, "compared: "+compared), "; ")
}

// cmpFolderSummary is the last line of the JSON output.
type cmpFolderSummary struct {
	Folders  [2]command.Text `json:"folders"`
	Equal    bool            `json:"equal"`
	Files    int64           `json:"files"`
	OnlyInA  int64           `json:"only_in_a"`
	OnlyInB  int64           `json:"only_in_b"`
	Changed  int64           `json:"changed"`
	Unread   int64           `json:"unread"`
	Compared int64           `json:"compared"`
	Complete bool            `json:"complete"`
}

func (s *cmpFoldersRun) summary() cmpFolderSummary {
	r := &s.found
	return cmpFolderSummary{Folders: [2]command.Text{command.Text(s.Inputs[0]), command.Text(s.Inputs[1])},
		Equal: s.Complete && r.Equal, Files: r.Files, OnlyInA: r.OnlyInFirst, OnlyInB: r.OnlyInSecond,
		Changed: r.Changed, Unread: r.Unread, Compared: r.Bytes + r.Skipped, Complete: s.Complete}
}

// Note says how many differences were not printed, and how many files could not be read past the page cache.
func (s *cmpFoldersRun) Note() {
	if more := s.seen - s.flags.limit; s.flags.limit > 0 && more > 0 && !s.JSON {
		s.Notef("%s after --limit not printed", numeral.CountGrouped(more, "difference"))
	}
	if s.found.Cached > 0 {
		s.Notef("%s not read past the page cache: they cannot be", numeral.Count(s.found.Cached, "file"))
	}
}
