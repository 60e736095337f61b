package main

import (
	"io"
	"net/http"
	"os"
)

// After github.com/labstack/echo/v4@v4.16.0/response.go: a framework's response holds the real one in a field.

type heldResponse struct { // want responsewrapper
	Writer    http.ResponseWriter
	Status    int
	Size      int64
	Committed bool
}

func (h *heldResponse) Header() http.Header { return h.Writer.Header() }

func (h *heldResponse) Unwrap() http.ResponseWriter { return h.Writer }

func (h *heldResponse) WriteHeader(code int) {
	h.Status, h.Committed = code, true
	h.Writer.WriteHeader(code)
}

func (h *heldResponse) Write(p []byte) (int, error) {
	if !h.Committed {
		h.WriteHeader(http.StatusOK)
	}
	n, err := h.Writer.Write(p)
	h.Size += int64(n)
	return n, err
}

// echoContext is what handlers of the framework get.
type echoContext struct {
	request  *http.Request
	response *heldResponse
}

func (c *echoContext) file(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	http.ServeContent(c.response, c.request, "data", info.ModTime(), f)
	return nil
}

func echoFlagged(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &echoContext{r, &heldResponse{Writer: w}}
		if err := c.file(name); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
}

type heldResponseFixed struct {
	Writer    http.ResponseWriter
	Status    int
	Size      int64
	Committed bool
}

func (h *heldResponseFixed) Header() http.Header { return h.Writer.Header() }

func (h *heldResponseFixed) Unwrap() http.ResponseWriter { return h.Writer }

func (h *heldResponseFixed) WriteHeader(code int) {
	h.Status, h.Committed = code, true
	h.Writer.WriteHeader(code)
}

func (h *heldResponseFixed) Write(p []byte) (int, error) {
	if !h.Committed {
		h.WriteHeader(http.StatusOK)
	}
	n, err := h.Writer.Write(p)
	h.Size += int64(n)
	return n, err
}

func (h *heldResponseFixed) ReadFrom(r io.Reader) (int64, error) {
	if !h.Committed {
		h.WriteHeader(http.StatusOK)
	}
	n, err := io.Copy(h.Writer, r)
	h.Size += n
	return n, err
}

type echoContextFixed struct {
	request  *http.Request
	response *heldResponseFixed
}

func (c *echoContextFixed) file(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	http.ServeContent(c.response, c.request, "data", info.ModTime(), f)
	return nil
}

func echoFixed(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &echoContextFixed{r, &heldResponseFixed{Writer: w}}
		if err := c.file(name); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
}
