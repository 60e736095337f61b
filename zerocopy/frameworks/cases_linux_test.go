package frameworks_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	chimiddleware "github.com/go-chi/chi/v5/middleware"
	"github.com/gorilla/handlers"
	"github.com/klauspost/compress/gzhttp"
	"github.com/labstack/echo/v4"
	echo5 "github.com/labstack/echo/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/urfave/negroni/v3"

	"github.com/thresh-dev/thresh/zerocopy"
)

// A frameworkCase serves the file at path, with zerocopy or without, and notes what the framework
// counted.
type frameworkCase struct {
	name   string
	kind   kind
	server func(path string, with bool, notes io.Writer) http.Handler
}

// kind says what the framework does to a body without zerocopy. With it, all bodies go by sendfile
// that are not compressed.
type kind int

const (
	keeps      kind = iota // forwards ReadFrom
	loses                  // has no ReadFrom
	miscounts              // forwards ReadFrom, and does not count those bytes
	compresses             // if the client accepts it
)

// around is NewHandler, if asked for.
func around(with bool, h http.Handler) http.Handler {
	if with {
		return zerocopy.NewHandler(h)
	}
	return h
}

// file serves the file, below a framework with a NewHandler of its own.
func file(path string, with bool) http.Handler {
	return around(with, http.FileServer(http.Dir(filepath.Dir(path))))
}

// ginWriter is gin's response with a ReadFrom.
type ginWriter struct {
	gin.ResponseWriter
	io.ReaderFrom
}

// middleware makes a case of net/http middleware that keeps no notes of its own.
func middleware(name string, k kind, wrap func(http.Handler) http.Handler) frameworkCase {
	return frameworkCase{name, k, func(path string, with bool, _ io.Writer) http.Handler {
		return around(with, wrap(file(path, with)))
	}}
}

var cases = []frameworkCase{
	{"gin", loses, func(path string, with bool, notes io.Writer) http.Handler {
		engine := gin.New()
		engine.Use(gin.LoggerWithConfig(gin.LoggerConfig{Output: notes, Formatter: func(p gin.LogFormatterParams) string {
			return fmt.Sprint(p.StatusCode, " ", p.BodySize)
		}}))
		engine.Use(func(c *gin.Context) {
			c.Next()
			fmt.Fprint(notes, " ", c.Writer.Status(), c.Writer.Size(), c.Writer.Written())
		})
		if with {
			engine.Use(func(c *gin.Context) {
				hooked := zerocopy.NewResponseWriter(c.Writer, c.Request)
				c.Writer = ginWriter{c.Writer, hooked.(io.ReaderFrom)}
			})
		}
		get := func(c *gin.Context) { c.File(path) }
		engine.GET("/data.bin", get)
		engine.HEAD("/data.bin", get)
		return around(with, engine)
	}},
	{"gin, NewResponseWriter in the handler", loses, func(path string, with bool, notes io.Writer) http.Handler {
		engine := gin.New()
		get := func(c *gin.Context) {
			var w http.ResponseWriter = c.Writer
			if with {
				w = zerocopy.NewResponseWriter(w, c.Request)
			}
			http.ServeFile(w, c.Request, path)
			fmt.Fprint(notes, c.Writer.Status(), " ", c.Writer.Size(), c.Writer.Written())
		}
		engine.GET("/data.bin", get)
		engine.HEAD("/data.bin", get)
		return around(with, engine)
	}},
	{"gin, CloseNotify", loses, func(path string, with bool, notes io.Writer) http.Handler {
		engine := gin.New()
		get := func(c *gin.Context) {
			gone := c.Writer.CloseNotify()
			around(with, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.ServeFile(w, r, path)
			})).ServeHTTP(c.Writer, c.Request)
			select {
			case <-gone:
				fmt.Fprint(notes, "gone ")
			default:
				fmt.Fprint(notes, "there ")
			}
		}
		engine.GET("/data.bin", get)
		engine.HEAD("/data.bin", get)
		return around(with, engine)
	}},
	{"echo v4", loses, func(path string, with bool, notes io.Writer) http.Handler {
		e := echo.New()
		get := func(c echo.Context) error {
			var w http.ResponseWriter = c.Response()
			c.Response().Before(func() { fmt.Fprint(notes, "before ") })
			if with {
				w = zerocopy.NewResponseWriter(w, c.Request())
			}
			http.ServeFile(w, c.Request(), path)
			r := c.Response()
			fmt.Fprint(notes, r.Status, " ", r.Size, r.Committed)
			return nil
		}
		e.GET("/data.bin", get)
		e.HEAD("/data.bin", get)
		return around(with, e)
	}},
	{"echo v5", loses, func(path string, with bool, notes io.Writer) http.Handler {
		e := echo5.New()
		e.Filesystem = os.DirFS(filepath.Dir(path))
		e.Use(func(next echo5.HandlerFunc) echo5.HandlerFunc {
			return func(c *echo5.Context) error {
				if with {
					c.SetResponse(zerocopy.NewResponseWriter(c.Response(), c.Request()))
				}
				err := next(c)
				r, unwrapErr := echo5.UnwrapResponse(c.Response())
				check(unwrapErr)
				fmt.Fprint(notes, r.Status, " ", r.Size, r.Committed)
				return err
			}
		})
		get := func(c *echo5.Context) error { return c.File("data.bin") }
		e.GET("/data.bin", get)
		e.HEAD("/data.bin", get)
		return around(with, e)
	}},
	{"chi", keeps, func(path string, with bool, notes io.Writer) http.Handler {
		r := chi.NewRouter()
		r.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ww := chimiddleware.NewWrapResponseWriter(w, r.ProtoMajor)
				next.ServeHTTP(ww, r)
				fmt.Fprint(notes, ww.Status(), " ", ww.BytesWritten())
			})
		})
		r.Handle("/data.bin", file(path, with))
		return around(with, r)
	}},
	{"negroni", keeps, func(path string, with bool, notes io.Writer) http.Handler {
		n := negroni.New()
		n.UseFunc(func(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
			next(w, r)
			rw := w.(negroni.ResponseWriter)
			fmt.Fprint(notes, rw.Status(), " ", rw.Size())
		})
		n.UseHandler(file(path, with))
		return around(with, n)
	}},
	{"gorilla/handlers log", miscounts, func(path string, with bool, notes io.Writer) http.Handler {
		return around(with, handlers.CustomLoggingHandler(notes, file(path, with), func(w io.Writer, p handlers.LogFormatterParams) {
			fmt.Fprint(w, p.StatusCode, " ", p.Size)
		}))
	}},
	{"prometheus", keeps, func(path string, with bool, notes io.Writer) http.Handler {
		size := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "size"}, nil)
		instrumented := promhttp.InstrumentHandlerResponseSize(size, file(path, with))
		return around(with, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			instrumented.ServeHTTP(w, r)
			var m dto.Metric
			check(size.WithLabelValues().(prometheus.Metric).Write(&m))
			fmt.Fprint(notes, m.GetHistogram().GetSampleSum())
		}))
	}},
	middleware("chi compress", compresses, chimiddleware.Compress(1, "application/octet-stream")),
	middleware("gorilla/handlers compress", compresses, handlers.CompressHandler),
	middleware("klauspost gzhttp", compresses, func(h http.Handler) http.Handler {
		wrap, err := gzhttp.NewWrapper(gzhttp.ContentTypes([]string{"application/octet-stream"}))
		check(err)
		return wrap(h)
	}),
}
