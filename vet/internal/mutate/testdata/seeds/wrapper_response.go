// wrapper: a framework's response type
package seed

import (
	"io"
	"net/http"
	"os"
)

type Response struct {
	Writer    http.ResponseWriter
	Status    int
	Size      int64
	Committed bool
}

func (r *Response) Header() http.Header { return r.Writer.Header() }

func (r *Response) WriteHeader(code int) {
	r.Status, r.Committed = code, true
	r.Writer.WriteHeader(code)
}

func (r *Response) Write(p []byte) (int, error) {
	if !r.Committed {
		r.WriteHeader(http.StatusOK)
	}
	n, err := r.Writer.Write(p)
	r.Size += int64(n)
	return n, err
}

func (r *Response) ReadFrom(src io.Reader) (int64, error) {
	if !r.Committed {
		r.WriteHeader(http.StatusOK)
	}
	n, err := io.Copy(r.Writer, src)
	r.Size += n
	return n, err
}

type Context struct {
	Request  *http.Request
	Response *Response
}

func (c *Context) File(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	http.ServeContent(c.Response, c.Request, info.Name(), info.ModTime(), f)
	return nil
}

type Router struct{ handle func(*Context) error }

func (rt Router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &Context{r, &Response{Writer: w}}
	if err := rt.handle(c); err != nil {
		http.Error(c.Response, err.Error(), http.StatusInternalServerError)
	}
}
