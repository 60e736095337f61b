package preview

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/search/logtime"
	"github.com/thresh-dev/thresh/internal/table/sniff"
)

// kind is a kind of file that is known by bytes at a fixed place.
type kind struct {
	at    int
	magic string
	what  string
	ask   []string
}

var (
	askBytes   = []string{"thresh find --text WORD FILE", "thresh count --type u8 --histogram FILE"}
	askDisk    = []string{"thresh blank FILE", "thresh find --nonzero FILE", "thresh find --text WORD --all FILE"}
	askUTF16   = []string{"iconv -f utf-16 -t utf-8 FILE | thresh grep PATTERN"}
	askArchive = []string{"tar -xOf FILE | thresh grep PATTERN", "thresh find --text WORD FILE"}
	askColumns = []string{"duckdb -c \"copy 'FILE' to 'out.csv'\", and then ask thresh about out.csv"}
)

// kinds lists the kinds of files that are neither text nor read by any question. Compressed files and files of tensors
// are recognised where they are opened.
var kinds = []kind{
	{0, "\x7fELF", "a program or library (ELF)", askBytes},
	{0, "MZ\x90\x00", "a program of Windows", askBytes},
	{0, "\xcf\xfa\xed\xfe", "a program of macOS", askBytes},
	{0, "\xca\xfe\xba\xbe", "a program of macOS or a class of Java", askBytes},
	{0, "SQLite format 3\x00", "a database of SQLite", []string{"sqlite3 FILE .dump | thresh grep PATTERN"}},
	{0, "PAR1", "a Parquet file, which thresh does not read", askColumns},
	{0, "ARROW1\x00\x00", "an Arrow file, which thresh does not read", askColumns},
	{0, "Obj\x01", "an Avro file, which thresh does not read", askColumns},
	{0, "%PDF-", "a PDF document", []string{"pdftotext FILE - | thresh grep PATTERN"}},
	{0, "\x89PNG\r\n\x1a\n", "a picture (PNG)", askBytes},
	{0, "\xff\xd8\xff", "a picture (JPEG)", askBytes},
	{0, "GIF8", "a picture (GIF)", askBytes},
	{4, "ftyp", "a video (MP4)", askBytes},
	{0, "\x1aE\xdf\xa3", "a video (Matroska)", askBytes},
	{257, "ustar", "a tar archive", askArchive},
	{0, "\xff\xfe", "text in UTF-16, which thresh reads as bytes", askUTF16},
	{0, "\xfe\xff", "text in UTF-16, which thresh reads as bytes", askUTF16},
	{1024 + 56, "\x53\xef", "a disk image (ext file system)", askDisk},
	{3, "NTFS    ", "a disk image (NTFS)", askDisk},
	{0, "XFSB", "a disk image (XFS)", askDisk},
	{32769, "CD001", "a disk image (ISO 9660)", askDisk},
	{512, "EFI PART", "a disk image (partitioned by GPT)", askDisk},
	{510, "\x55\xaa", "a disk image (with a boot sector)", askDisk},
}

// kindOf returns the kind of a file that begins with head, nil if it is not known.
func kindOf(head []byte) *kind {
	for i := range kinds {
		k := &kinds[i]
		if len(head) < k.at || k.at > 0 && bytes.IndexByte(head, 0) < 0 { // a text may hold these bytes by chance
			continue
		}
		if bytes.HasPrefix(head[k.at:], []byte(k.magic)) {
			return k
		}
	}
	return nil
}

// isJSON reports whether a text begins like a document of JSON.
func isJSON(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	rest := bytes.TrimSpace(text[1:])
	return len(rest) == 0 || bytes.IndexByte([]byte("\"{[]}-0123456789tfn"), rest[0]) >= 0 && !isBracketedTime(rest)
}

// isBracketedTime reports whether a line that begins with a bracket is one of a log: "[2026-11-27 10:00:00] …".
func isBracketedTime(rest []byte) bool {
	end := bytes.IndexByte(rest, ']')
	return end > 0 && sniff.IsData(rest[:end]) && bytes.ContainsAny(rest[:end], "-/:")
}

// textFile describes a text that is no table.
func textFile(text []byte) *File {
	f := &File{What: "text", Lines: lines(text),
		Ask: []string{"thresh grep -n PATTERN FILE", "thresh count --lines --words FILE"}}
	if !utf8.Valid(text) {
		f.What = "text that is not UTF-8, or binary data"
	}
	if len(f.Lines) > 0 && logtime.Begins([]byte(f.Lines[0])) {
		f.What = "a log: its lines begin with times"
		f.Ask = append([]string{"thresh grep --from TIME --to TIME PATTERN FILE"}, f.Ask...)
	}
	return f
}

// linesShown is how many lines of a text are shown, and lineBytesMax how much of one.
const (
	linesShown   = 10
	lineBytesMax = 300
)

// lines returns the first lines of a text.
func lines(text []byte) (first []string) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > lineBytesMax {
			line = append(line[:lineBytesMax:lineBytesMax], "…"...)
		}
		if first = append(first, strings.ToValidUTF8(string(line), "\ufffd")); len(first) == linesShown {
			break
		}
	}
	return first
}
