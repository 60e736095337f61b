// wrapper: a reader that shows progress
package seed

import (
	"io"
	"net/http"
	"os"
	"strconv"
)

type progress struct {
	io.Reader
	total, done int64
	show        func(done, total int64)
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.done += int64(n)
	p.show(p.done, p.total)
	return n, err
}

func (p *progress) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, p.Reader)
	p.done += n
	p.show(p.done, p.total)
	return n, err
}

func export(w http.ResponseWriter, name string, show func(done, total int64)) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	_, err = io.Copy(w, &progress{Reader: f, total: info.Size(), show: show})
	return err
}

func exportHandler(w http.ResponseWriter, r *http.Request) {
	if err := export(w, "export.bin", func(int64, int64) {}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
