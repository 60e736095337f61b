package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/internal/net/archive"
	"github.com/thresh-dev/thresh/internal/net/docroot"
	"github.com/thresh-dev/thresh/internal/net/httpsem"
	"github.com/thresh-dev/thresh/internal/net/readahead"
	"github.com/thresh-dev/thresh/zerocopy"
)

// archiveEntriesMax is how many entries all downloads of archives together may have: each takes
// about 250 bytes until its download ends.
const archiveEntriesMax = 1 << 20

// archiveTailBytes is how much of a body is sent only when the file was found to be unchanged.
const archiveTailBytes = 4 << 10

// readAheadBytesMin is the length from which a file is begun with a large read: the kernel's own first
// read is as long.
const readAheadBytesMin = 256 << 10

var (
	errArchiveTooLong = fmt.Errorf("a folder of more than %d files and folders is not archived", archiveEntriesMax)
	errArchivesBusy   = errors.New("downloads of archives have too many files together")
)

// archives is what the downloads of archives share.
type archives struct {
	entries atomic.Int64 // of all downloads in progress
	sums    sums
}

// archiveFormat returns the format that the query asks for, or nil.
func archiveFormat(r *http.Request) (archive.Format, string) {
	if r.URL.RawQuery == "" {
		return nil, ""
	}
	switch name := r.URL.Query().Get("archive"); name {
	case "tar":
		return archive.Tar, name
	case "zip":
		return archive.Zip, name
	}
	return nil, ""
}

// folderArchive is a folder as an archive that is being sent.
type folderArchive struct {
	http.ResponseWriter
	h     *handler
	paths []string // of the document root
	items []docroot.Item
	*archive.Archive
	etag   string
	buffer *[smallBytes]byte
	ahead  opened
}

// opened is a file of an archive that was opened before its turn; the zero value is none.
type opened struct {
	file *os.File
	i    int
}

// serveArchive sends the folder at path as an archive, or ranges of it. Nothing is stored: what the
// archive contains is decided now, and a file that is different when its turn comes ends the
// connection, so that no client takes a mixture for the whole.
func (h *handler) serveArchive(w http.ResponseWriter, r *http.Request, at string, format archive.Format, name string) {
	base := path.Base(at)
	if base == "/" {
		base = "files"
	}
	f := &folderArchive{ResponseWriter: w, h: h}
	defer func() { h.archives.entries.Add(-int64(len(f.items))) }()
	err := f.layOut(at, base, format)
	switch {
	case errors.Is(err, errArchivesBusy):
		h.options.errorLog(err)
		writeUnavailable(w, r)
		return
	case errors.Is(err, errArchiveTooLong):
		h.options.errorLog(fmt.Errorf("archive %s: %w", at, err))
		writeStatus(w, r, http.StatusForbidden)
		return
	case err != nil:
		h.serveError(w, r, err)
		return
	}
	// No Last-Modified: the time of the newest file stays the same when an old file takes another one's place.
	file := docroot.File{ETag: f.etag, Size: f.Size()}
	d := httpsem.Decide(r.Header, httpsem.Representation{ETag: f.etag, Size: f.Size()})
	if len(d.Ranges) > 1 {
		d = httpsem.Decision{Status: http.StatusOK} // as RFC 9110 allows
	}
	header := w.Header()
	switch d.Status {
	case http.StatusNotModified:
		setETag(header, file)
		w.WriteHeader(d.Status)
		return
	case http.StatusRequestedRangeNotSatisfiable:
		header.Set("Content-Range", fmt.Sprintf("bytes */%d", f.Size()))
		writeStatus(w, r, d.Status)
		return
	case http.StatusPreconditionFailed:
		writeStatus(w, r, d.Status)
		return
	}
	part := httpsem.Range{Bytes: f.Size()}
	if len(d.Ranges) == 1 {
		part = d.Ranges[0]
		header.Set("Content-Range", part.ContentRange(f.Size()))
	}
	setFileHeader(header, file)
	header.Set("Content-Type", docroot.TypeOf("."+name))
	header.Set("Content-Disposition", disposition("attachment", base+"."+name))
	header.Set("Content-Length", strconv.FormatInt(part.Bytes, 10))
	header.Set("Cache-Control", "no-cache")
	setHeaders(header, h.options.headers, at, true)
	w.WriteHeader(d.Status)
	if r.Method != http.MethodHead {
		f.send(part)
	}
}

// layOut decides what the archive contains.
func (f *folderArchive) layOut(at, base string, format archive.Format) error {
	now, tag, young := time.Now(), sha256.New(), false
	files := []archive.File{}
	err := f.h.root.Walk(at, func(below string, item docroot.Item) error {
		switch {
		case len(f.items) == archiveEntriesMax:
			return errArchiveTooLong
		case f.h.archives.entries.Add(1) > archiveEntriesMax:
			f.h.archives.entries.Add(-1)
			return errArchivesBusy
		}
		f.items = append(f.items, item)
		f.paths = append(f.paths, at+below)
		files = append(files, archive.File{
			Name: base + "/" + below, Size: item.Size, Modified: item.Modified, Executable: item.Executable,
		})
		young = young || !item.Folder && item.Young(now)
		fmt.Fprintf(tag, "%q %s %t\n", below, item.Tag(), item.Executable) // a hash returns no error
		return nil
	})
	if err != nil {
		return err
	}
	if young {
		fmt.Fprintln(tag, now.UnixNano()) // a file may change once more without a new time
	}
	f.etag = `"` + hex.EncodeToString(tag.Sum(nil)[:16]) + `"`
	f.Archive, err = archive.New(format, files)
	return err
}

// send sends a part of the archive. An error ends the connection.
func (f *folderArchive) send(part httpsem.Range) {
	f.buffer = f.h.buffers.Get().(*[smallBytes]byte)
	defer f.h.buffers.Put(f.buffer)
	defer f.closeAhead()
	if w, plain := f.ResponseWriter.(*reply); plain {
		w.cork(true)
		defer w.cork(false)
	}
	if err := f.Send(f, part.Off, part.Bytes); err != nil {
		f.h.options.errorLog(fmt.Errorf("archive: the download is cut off: %w", err))
		panic(http.ErrAbortHandler)
	}
}

// Write sends bytes that are not of a file.
func (f *folderArchive) Write(p []byte) (int, error) {
	writeOrAbort(f.ResponseWriter, p)
	return len(p), nil
}

// Body sends a part of a file. Its last bytes wait until the file was found to be as it was when
// the archive was laid out.
func (f *folderArchive) Body(i int, off, n int64) error {
	item := &f.items[i]
	file, err := f.open(i, n)
	if err != nil {
		return err
	}
	defer file.Close() // nothing was written
	if off+n == item.Size {
		f.openAhead(i + 1)
	}
	part := httpsem.Range{Off: off, Bytes: n}
	opened := docroot.File{File: file, Size: item.Size}
	if n > smallBytes {
		part.Bytes -= archiveTailBytes
		f.h.sendRange(f.ResponseWriter, opened, part)
		part = httpsem.Range{Off: off + part.Bytes, Bytes: archiveTailBytes}
	}
	tail := f.buffer[:part.Bytes]
	if m, err := f.h.readRange(opened, part, tail); err != nil {
		return fmt.Errorf("read %s at %d: %w", f.paths[i], part.Off+int64(m), err)
	}
	if err := docroot.CheckListed(file, item); err != nil {
		return err
	}
	writeOrAbort(f.ResponseWriter, tail)
	return nil
}

// open opens file i, of which n bytes are to be sent, unless that was done ahead.
func (f *folderArchive) open(i int, n int64) (*os.File, error) {
	if file := f.ahead.file; file != nil && f.ahead.i == i {
		f.ahead.file = nil
		return file, nil
	}
	item := &f.items[i]
	file, err := f.h.root.OpenListed(f.paths[i], item)
	if err == nil && n == item.Size && n >= readAheadBytesMin {
		f.h.beginReading(file, n)
	}
	return file, err
}

// openAhead opens file i before its turn, so that the kernel reads its beginning while the file before is sent.
func (f *folderArchive) openAhead(i int) {
	if i == len(f.items) || f.items[i].Size < readAheadBytesMin {
		return
	}
	file, err := f.open(i, f.items[i].Size)
	if err != nil {
		return // it is opened again when its turn comes, and the error told then
	}
	f.ahead = opened{file, i}
}

func (f *folderArchive) closeAhead() {
	if f.ahead.file != nil {
		f.ahead.file.Close() // nothing was written
	}
}

// beginReading has the kernel read the beginning of a file of size bytes, unless it is cached.
func (h *handler) beginReading(file *os.File, size int64) {
	if h.options.disk != nil {
		h.options.disk <- struct{}{}
		defer func() { <-h.options.disk }()
	}
	readahead.Begin(file, size)
}

// Sum returns the CRC-32 of a file.
func (f *folderArchive) Sum(i int) (uint32, error) {
	return f.h.archives.sums.of(f.paths[i], &f.items[i], f.compute)
}

// compute writes the content of a file to sum.
func (f *folderArchive) compute(at string, item *docroot.Item, sum io.Writer) error {
	file, err := f.h.root.OpenListed(at, item)
	if err != nil {
		return err
	}
	defer file.Close() // nothing was written
	section := zerocopy.NewSection(file, 0, item.Size, f.h.options.disk)
	buffer := make([]byte, sumBufferBytes)
	for read := int64(0); read < item.Size; {
		if f.h.options.aborted() {
			return http.ErrServerClosed
		}
		n, err := section.Read(buffer)
		if err != nil {
			return fmt.Errorf("read %s at %d: %w", at, read, err)
		}
		read += int64(n)
		if _, err := sum.Write(buffer[:n]); err != nil {
			return err
		}
	}
	return docroot.CheckListed(file, item)
}
