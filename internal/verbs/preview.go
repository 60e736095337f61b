package verbs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/preview"
	"github.com/thresh-dev/thresh/options"
)

// previewRun shows what is in the inputs, where table is asked nothing.
type previewRun struct {
	*command.Local
	given preview.Given
}

// patience is how long a preview waits for more of a stream.
const patience = time.Second

// Ask shows the inputs one after the other.
func (s *previewRun) Ask(ctx context.Context) error {
	first := true
	for name, err := range s.Names() {
		if err == nil {
			if !first && !s.JSON {
				fmt.Fprintln(s.Out)
			}
			first = false
			err = s.show(ctx, name)
		}
		if errors.Is(err, failure.ErrDirectory) {
			err = command.Hint(fmt.Errorf("%s is a folder", name), fmt.Sprintf("ask about the files in it, as with "+
				"thresh count --lines -r %[1]s or thresh grep PATTERN -r %[1]s; thresh serve %[1]s serves them", name))
		}
		if err := s.InputError(err); err != nil {
			return err
		}
	}
	return nil
}

// show shows an input.
func (s *previewRun) show(ctx context.Context, name string) error {
	if name != "-" && !s.NoDecompress {
		switch shown, err := s.showTensors(name); {
		case shown || err != nil:
			return err
		}
	}
	in, err := s.Open(name)
	var archive *failure.ArchiveError
	if errors.As(err, &archive) && archive.Members != "" && !thresh.IsRemote(name) {
		return s.showArchive(name)
	}
	if err != nil {
		return err
	}
	defer in.Close() // only read from, so an error loses nothing
	head, whole, err := in.Head(ctx, preview.Bytes, patience)
	if err != nil {
		return err
	}
	f, err := preview.Look(ctx, name, head, whole, s.given)
	if err != nil {
		return err
	}
	size := bytesize.Precise(int64(len(head)))
	switch n, known := in.Bytes(); {
	case !whole && known:
		size = fmt.Sprintf("%s, of which the first %s were looked at", bytesize.Precise(n), size)
	case !whole:
		size = "the first " + size + " were looked at"
	}
	if in.Compressed() {
		size += ", decompressed"
	}
	return s.print(name, f, head, size)
}

// print prints what a file seems to be.
func (s *previewRun) print(name string, f *preview.File, head []byte, size string) error {
	if s.JSON {
		return s.printJSON(name, f)
	}
	fmt.Fprintf(s.Out, "%s: %s (%s)\n", name, f.What, size)
	var err error
	switch {
	case f.Table:
		err = s.printTable(f)
	case f.Binary:
		_, err = s.Out.Write(preview.Dump(head))
	default:
		for _, line := range f.Lines {
			fmt.Fprintf(s.Out, "  %s\n", line)
		}
	}
	ask := about(name, f.Ask)
	for _, statement := range f.SQL {
		ask = append(ask, "thresh sql "+command.ShellQuote(statement))
	}
	s.printAsk(ask)
	return err
}

// about returns commands about a file, which they call FILE.
func about(name string, commands []string) (all []string) {
	for _, c := range commands {
		all = append(all, strings.ReplaceAll(c, "FILE", command.ShellQuote(name)))
	}
	return all
}

// printAsk prints what to ask.
func (s *previewRun) printAsk(commands []string) {
	for i, line := range commands {
		if i == 0 {
			fmt.Fprint(s.Out, "\nask, for example:\n")
		}
		fmt.Fprintf(s.Out, "  %s\n", line)
	}
}

// printTable prints the columns and the first records of a table.
func (s *previewRun) printTable(f *preview.File) error {
	w, err := s.tableWriter(2)
	if err != nil {
		return err
	}
	var columns [][]string
	for _, c := range f.Columns {
		columns = append(columns, []string{c.Name, c.Looks, share(c.Present, c.Records), c.Example})
	}
	if err := writeTexts(w, "columns", []string{"column", "looks like", "present", "example"}, columns); err != nil {
		return err
	}
	if len(f.Records) == 0 {
		return w.Close()
	}
	var headings []answer.Column
	for _, c := range f.Columns {
		headings = append(headings, answer.Column{Name: c.Name})
	}
	err = w.Begin("first records", headings)
	for _, record := range f.Records {
		err = errors.Join(err, w.Row(record))
	}
	return errors.Join(err, w.End(nil), w.Close())
}

// share returns a part of all in percent. It is 0 or 100 % only for none and all.
func share(part, all int) string {
	switch percent := 100 * part / max(all, 1); {
	case percent == 0 && part > 0:
		return "under 1 %"
	default:
		return fmt.Sprintf("%d %%", percent)
	}
}

// tableWriter returns a writer of aligned tables.
func (s *previewRun) tableWriter(answers int) (*thresh.Writer, error) {
	o := options.Writer{Answers: answers, Terminal: s.Out.Terminal(), Color: s.Out.Colors()}
	if o.Terminal {
		if width, _, err := term.GetSize(int(s.Console.Out.Fd())); err == nil {
			o.Width = width
		}
	}
	return thresh.NewWriter(s.Out, o)
}

// writeTexts writes a table of texts.
func writeTexts(w *thresh.Writer, title string, names []string, rows [][]string) error {
	var columns []answer.Column
	for _, name := range names {
		columns = append(columns, answer.Column{Name: name})
	}
	err := w.Begin(title, columns)
	for _, row := range rows {
		var cells []answer.Cell
		for _, text := range row {
			cells = append(cells, answer.Cell{Text: []byte(text)})
		}
		err = errors.Join(err, w.Row(cells))
	}
	return errors.Join(err, w.End(nil))
}

// printJSON prints a line for the file, each column and each record.
func (s *previewRun) printJSON(name string, f *preview.File) error {
	err := s.Out.JSON(map[string]any{"file": command.Text(name), "what": f.What})
	for _, c := range f.Columns {
		err = errors.Join(err, s.Out.JSON(map[string]any{"column": command.Text(c.Name), "looks_like": c.Looks,
			"present": c.Present, "records": c.Records, "example": command.Text(c.Example)}))
	}
	for _, record := range f.Records {
		texts := make([]any, len(record))
		for i, cell := range record {
			if !cell.Null {
				texts[i] = command.Text(cell.Text)
			}
		}
		err = errors.Join(err, s.Out.JSON(map[string]any{"record": texts}))
	}
	return err
}

// showTensors shows a file of tensors. It returns false for another file.
func (s *previewRun) showTensors(name string) (shown bool, err error) {
	file, err := s.OpenTensors(name)
	switch {
	case errors.Is(err, failure.ErrNoTensors), errors.Is(err, fs.ErrNotExist), errors.Is(err, failure.ErrDirectory):
		return false, nil
	case err != nil:
		return true, err
	}
	defer file.Close() // only read from, so an error loses nothing
	var rows [][]string
	for i := range file.Tensors {
		t := &file.Tensors[i]
		bytes := ""
		if t.Length >= 0 {
			bytes = bytesize.Short(t.Length)
		}
		rows = append(rows, []string{t.Name, t.Stored, strings.Trim(fmt.Sprint(t.Shape), "[]"), bytes})
	}
	if s.JSON {
		return true, s.rowsJSON(name, file.Format, []string{"tensor", "type", "shape", "size"}, rows)
	}
	fmt.Fprintf(s.Out, "%s: %s, %s\n", name, file.Format, numeral.Count(len(rows), "tensor"))
	w, err := s.tableWriter(1)
	if err == nil {
		err = errors.Join(writeTexts(w, "", []string{"tensor", "type", "shape", "size"}, rows), w.Close())
	}
	s.printAsk(about(name, []string{"thresh find --nan FILE", "thresh count --stats FILE"}))
	return true, err
}

// rowsJSON prints a line for the file and each row.
func (s *previewRun) rowsJSON(name, what string, names []string, rows [][]string) error {
	err := s.Out.JSON(map[string]any{"file": command.Text(name), "what": what})
	for _, row := range rows {
		line := map[string]any{}
		for i, text := range row {
			line[names[i]] = command.Text(text)
		}
		err = errors.Join(err, s.Out.JSON(line))
	}
	return err
}

// showArchive shows the members of a zip archive.
func (s *previewRun) showArchive(name string) error {
	var rows [][]string
	for member, err := range preview.Members(name) {
		if err != nil {
			return err
		}
		rows = append(rows, []string{member.Name, member.Size})
	}
	if s.JSON {
		return s.rowsJSON(name, "a zip archive", []string{"member", "size"}, rows)
	}
	fmt.Fprintf(s.Out, "%s: a zip archive, %s\n", name, numeral.Count(len(rows), "member"))
	w, err := s.tableWriter(1)
	if err == nil {
		err = errors.Join(writeTexts(w, "", []string{"member", "size"}, rows), w.Close())
	}
	ask := []string{"thresh grep PATTERN -r FILE"}
	if len(rows) > 0 {
		ask = append(ask, "thresh "+command.ShellQuote(name+":"+rows[0][0]))
	}
	s.printAsk(about(name, ask))
	return err
}

// End returns the error of the run.
func (s *previewRun) End(err error) error { return errors.Join(err, s.Out.Flush()) }

// Note says nothing more.
func (s *previewRun) Note() {}
