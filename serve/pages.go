package serve

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/net/docroot"
	"github.com/thresh-dev/thresh/internal/net/httpsem"
)

// page is a rendered page of a listing. All clients that read it, however slowly, share it.
type page struct {
	view   view
	serial uint64 // of the listing
	body   []byte
	etag   string
	link   string // header Link
}

// pages keep the pages that were rendered last.
type pages struct {
	mu     sync.Mutex
	kept   map[view]*list.Element
	recent *list.List // of *page, the most recently used in front
	bytes  int
}

const (
	pagesBytesMax = 16 << 20
	pageBytes     = 512 // beside its body
)

// get returns the page of the view, or nil if there is no such page.
func (c *pages) get(v view, l *docroot.Listing, render func(*bytes.Buffer, rows) error) (*page, error) {
	c.mu.Lock()
	at := c.kept[v]
	if at != nil && at.Value.(*page).serial == l.Serial {
		c.recent.MoveToFront(at)
		c.mu.Unlock()
		return at.Value.(*page), nil
	}
	c.mu.Unlock()
	r, ok := selectRows(v, l)
	if !ok {
		return nil, nil
	}
	var out bytes.Buffer
	if err := render(&out, r); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(out.Bytes())
	p := &page{view: v, serial: l.Serial, body: bytes.Clone(out.Bytes()), link: r.link(),
		etag: `"` + hex.EncodeToString(sum[:16]) + `"`}
	c.keep(p)
	return p, nil
}

// keep stores p in place of an older page of the same view.
func (c *pages) keep(p *page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept, c.recent = map[view]*list.Element{}, list.New()
	}
	c.drop(c.kept[p.view])
	c.kept[p.view] = c.recent.PushFront(p)
	c.bytes += len(p.body) + pageBytes
	for c.bytes > pagesBytesMax {
		c.drop(c.recent.Back())
	}
}

func (c *pages) drop(at *list.Element) {
	if at == nil {
		return
	}
	p := c.recent.Remove(at).(*page)
	delete(c.kept, p.view)
	c.bytes -= len(p.body) + pageBytes
}

// readmeBytesMax is how much of a README is shown.
const readmeBytesMax = 64 << 10

// readme returns the name and the text of the folder's README, and whether the text goes on. The
// text is shown as it is: Markdown is made to be read. Without a README of UTF-8 the name is empty.
func (h *handler) readme(path string, l *docroot.Listing) (name, text string, cut bool) {
	for i := l.Folders; i < len(l.Items); i++ {
		switch strings.ToLower(l.Items[i].Name) {
		case "readme", "readme.md", "readme.markdown", "readme.txt":
			name = l.Items[i].Name
		}
		if name != "" {
			break
		}
	}
	if name == "" {
		return "", "", false
	}
	e, err := h.root.Lookup(path + name)
	if err != nil {
		return "", "", false // it went, and the listing is still right without it
	}
	defer e.Release()
	if e.Redirect != "" || e.Folder {
		return "", "", false
	}
	buffer := make([]byte, min(e.Plain.Size, readmeBytesMax))
	if n, err := h.readRange(e.Plain, httpsem.Range{Bytes: int64(len(buffer))}, buffer); err != nil {
		h.logFileError(e.Plain, httpsem.Range{Bytes: int64(len(buffer))}, int64(n), err)
		return "", "", false
	}
	cut = e.Plain.Size > readmeBytesMax
	for drop := 0; cut && drop < utf8.UTFMax && !utf8.Valid(buffer); drop++ {
		buffer = buffer[:len(buffer)-1] // a character across the end
	}
	if !utf8.Valid(buffer) {
		return "", "", false
	}
	return name, string(buffer), cut
}
