package arguments

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/relay"
	"github.com/thresh-dev/thresh/remote"
	"github.com/thresh-dev/thresh/serve"
	"github.com/thresh-dev/thresh/sqldriver"
	"github.com/thresh-dev/thresh/wall"
	"github.com/thresh-dev/thresh/zerocopy"
	"github.com/thresh-dev/thresh/zerocopy/zerocopytest"
)

// What serve and remote document as no limit, or as the default.
const (
	serveLimits = "o.LimitRate o.MaxConns o.MaxConnsPerIP o.LimitRatePerIP o.LimitRequestsPerIP o.MaxDiskReads " +
		"o.HeaderTimeout o.IdleTimeout o.SendTimeout"
	remoteDefaults = "o.StallMax o.Attempts o.PauseMin"
)

func packageRows(t *testing.T) []row {
	ctx, f := context.Background(), fileOf(t)
	server := must(serve.New(filepath.Dir(f.Name()), serve.Options{}))
	forwarder := must(relay.New("127.0.0.1:1", relay.Options{}))
	client := remote.New(remote.Options{Attempts: 1})
	t.Cleanup(func() {
		_, _ = server.Shutdown(ctx), forwarder.Shutdown(ctx)
		client.Close()
	})
	closed := func() net.Listener { // Serve returns at once
		l := must(net.Listen("tcp", "127.0.0.1:0"))
		must(0, l.Close())
		return l
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
	}))
	t.Cleanup(web.Close)
	remoteObject := must(client.OpenObject(ctx, web.URL))
	refused := "http://" + closed().Addr().String() + "/a"
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	store := remote.New(remote.Options{Attempts: 1, S3Endpoint: refused})
	content := strings.NewReader(text)
	return append(zerocopyRows(t, f), []row{
		{"serve.Server.ServeHTTP", server.ServeHTTP, args(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)), ""},
		{"serve.New", newServer, args(filepath.Dir(f.Name()), serve.Options{}), serveLimits},
		{"serve.Server.Serve", server.Serve, args(closed()), ""},
		{"serve.Server.ServeRedirect", server.ServeRedirect, func() []any { return []any{closed(), 443} }, ""},
		{"serve.Server.Shutdown", server.Shutdown, args(ctx), ""},
		{"serve.Server.Serve", new(serve.Server).Serve, args(closed()), ""},
		{"serve.Server.ServeRedirect", new(serve.Server).ServeRedirect, args(closed(), 443), "port"},
		{"serve.Server.Shutdown", new(serve.Server).Shutdown, args(ctx), ""},
		{"sqldriver.Connector.Connect", new(sqldriver.Connector).Connect, args(ctx), carried},
		{"relay.New", relay.New, args("127.0.0.1:1", relay.Options{}), ""},
		{"relay.Relay.Serve", forwarder.Serve, args(closed()), ""},
		{"relay.Relay.Shutdown", forwarder.Shutdown, args(ctx), ""},
		{"relay.Relay.Serve", new(relay.Relay).Serve, args(closed()), ""},
		{"relay.Relay.Shutdown", new(relay.Relay).Shutdown, args(ctx), ""},

		{"remote.New", remote.New, args(remote.Options{}), remoteDefaults},
		{"remote.Is", remote.Is, args(refused), ""},
		{"remote.Client.Open", client.Open, args(ctx, web.URL, thresh.Raw), ""},
		{"remote.Client.OpenObject", client.OpenObject, args(ctx, refused), ""},
		{"remote.Client.OpenTensors", client.OpenTensors, args(ctx, refused), ""},
		{"remote.Client.Files", client.Files, args(ctx, refused, true), ""},
		{"remote.Client.Put", store.Put, args(ctx, "s3://bucket/key", content, content.Size()), ""},
		{"remote.Client.Open", new(remote.Client).Open, args(ctx, refused), ""},
		{"remote.Client.OpenTensors", new(remote.Client).OpenTensors, args(ctx, refused), ""},
		{"remote.Client.Files", new(remote.Client).Files, args(ctx, "s3://bucket/key*", true), ""},
		{"remote.Client.Put", new(remote.Client).Put, args(ctx, "s3://bucket/key", content, content.Size()), "size"},
		{"remote.Object.ReadRange", readRange(remoteObject), args(ctx, int64(0), int64(9)), ""},
		{"remote.StatusError.Is", new(remote.StatusError).Is, args(io.EOF), "target"},

		{"wall.Run", wall.Run, func() []any { return []any{ctx, exec.Command("true"), wall.Options{}} }, "o.Interval"},
		{"wall.Watch", wall.Watch, args(ended(), os.Getpid(), wall.Options{}), "o.Interval"},
		{"wall.Start", start, args(wall.Options{}), "o.Interval"},
		{"wall.Evidence.Add", new(wall.Evidence).Add, args(wall.Evidence{}), carried},
	}...)
}

// newServer makes a server and ends it.
func newServer(path string, o serve.Options) error {
	s, err := serve.New(path, o)
	if err == nil {
		err = s.Shutdown(context.Background())
	}
	return err
}

// start watches this process for a moment.
func start(o wall.Options) error {
	w, err := wall.Start(o)
	if err == nil {
		w.Stop()
	}
	return err
}

// readRange returns a function that reads a range of an object.
func readRange(o *remote.Object) func(ctx context.Context, off, end int64) error {
	return func(ctx context.Context, off, end int64) error {
		_, err := io.Copy(io.Discard, o.ReadRange(ctx, off, end))
		return err
	}
}

func zerocopyRows(t *testing.T, f *os.File) []row {
	near, far := net.Pipe()
	must(0, far.Close())
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { near.Close(); listener.Close() })
	reader, writer := zerocopy.NewReader(strings.NewReader(text)), zerocopy.NewWriter(io.Discard)
	hook := zerocopy.Trace(func(zerocopy.Event) {})
	conn := zerocopy.NewConn(near, zerocopy.Hooks{})
	section := zerocopy.NewSection(f, 0, 9, nil)
	source := func() io.Reader { return strings.NewReader(text) }
	quick := zerocopy.NewLimiter(1 << 40)
	request, response := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
	report, hooks := func(int64) {}, func(net.Conn) zerocopy.Hooks { return zerocopy.Hooks{} }
	transfer := func() (int64, error) { return 0, nil }
	return []row{
		{"zerocopy.NewConn", zerocopy.NewConn, args(near, zerocopy.Hooks{}), ""},
		{"zerocopy.NewHandler", zerocopy.NewHandler, args(http.NotFoundHandler()), ""},
		{"zerocopy.NewLimiter", zerocopy.NewLimiter, args(int64(1)), "bytesPerSecond"},
		{"zerocopy.NewListener", zerocopy.NewListener, args(listener, hooks), ""},
		{"zerocopy.NewReadSeeker", zerocopy.NewReadSeeker, args(strings.NewReader(text), hook), ""},
		{"zerocopy.NewReader", zerocopy.NewReader, args(source(), hook), ""},
		{"zerocopy.NewResponseWriter", zerocopy.NewResponseWriter, args(response, request, hook), ""},
		{"zerocopy.NewSection", zerocopy.NewSection, args(f, int64(0), int64(9), zerocopy.Semaphore(nil)), "n off disk"},
		{"zerocopy.NewWriter", zerocopy.NewWriter, args(io.Discard, hook), ""},
		{"zerocopy.Copy", zerocopy.Copy, args(io.Discard, source()), ""},
		{"zerocopy.CopyN", zerocopy.CopyN, args(io.Discard, source(), int64(3)), ""},
		{"zerocopy.SendFile", zerocopy.SendFile, args(near, f, int64(0), int64(3)), ""},
		{"zerocopy.Path", zerocopy.Path, args(io.Discard, source()), "dst src"},         // it says why
		{"zerocopy.CopyPath", zerocopy.CopyPath, args(io.Discard, source()), "dst src"}, // it says why
		{"zerocopy.Count", zerocopy.Count, args(new(zerocopy.Counter)), ""},
		{"zerocopy.Counter.Bytes", new(zerocopy.Counter).Bytes, args(zerocopy.ByCopy), "m"}, // it says 0
		{"zerocopy.Limit", zerocopy.Limit, args(quick), ""},
		{"zerocopy.Progress", zerocopy.Progress, args(int64(1), report), "every"},
		{"zerocopy.ReadTimeout", zerocopy.ReadTimeout, args(near, time.Second), "d"},
		{"zerocopy.WriteTimeout", zerocopy.WriteTimeout, args(near, time.Second), "d"},
		{"zerocopy.Trace", zerocopy.Trace, args(func(zerocopy.Event) {}), ""},
		{"zerocopy.Conn.Read", conn.Read, args(make([]byte, 3)), ""},
		{"zerocopy.Conn.Write", conn.Write, args([]byte(text)), ""},
		{"zerocopy.Conn.ReadFrom", conn.ReadFrom, args(source()), ""},
		{"zerocopy.Conn.WriteTo", conn.WriteTo, args(io.Discard), ""},
		{"zerocopy.Conn.SetDeadline", conn.SetDeadline, args(time.Now()), ""},
		{"zerocopy.Conn.SetReadDeadline", conn.SetReadDeadline, args(time.Now()), ""},
		{"zerocopy.Conn.SetWriteDeadline", conn.SetWriteDeadline, args(time.Now()), ""},
		{"zerocopy.Reader.Read", reader.Read, args(make([]byte, 3)), ""},
		{"zerocopy.Reader.WriteTo", reader.WriteTo, args(io.Discard), ""},
		{"zerocopy.ReadSeeker.Seek", zerocopy.NewReadSeeker(strings.NewReader(text)).Seek, args(int64(0), 0), ""},
		{"zerocopy.Writer.Write", writer.Write, args([]byte(text)), ""},
		{"zerocopy.Writer.ReadFrom", writer.ReadFrom, args(source()), ""},
		{"zerocopy.Section.Read", section.Read, args(make([]byte, 3)), ""},
		{"zerocopy.Section.ReadAt", section.ReadAt, args(make([]byte, 3), int64(0)), ""},
		{"zerocopy.Section.Seek", section.Seek, args(int64(0), 0), ""},
		{"zerocopy.Section.WriteTo", section.WriteTo, args(io.Discard), ""},
		{"zerocopy.Result.Format", format, args("%+v", 0), carried},
		{"zerocopytest.Fast", func(_ any, dst io.Writer, src io.Reader, transfer func() (int64, error)) {
			zerocopytest.Fast(strict{TB: t}, dst, src, transfer)
		}, args(0, io.Discard, source(), transfer), "t dst src"},
		{"zerocopytest.FastCounter", func(_ any, c *zerocopy.Counter) { zerocopytest.FastCounter(strict{TB: t}, c) },
			args(0, new(zerocopy.Counter)), "t"},
		{"zerocopytest.FastResult", func(_ any, r zerocopy.Result) { zerocopytest.FastResult(strict{TB: t}, r) },
			args(0, zerocopy.Result{}), "t"},
	}
}

// format prints a result as package fmt does.
func format(verb string, _ int) { _ = fmt.Sprintf(verb, zerocopy.Result{Calls: [4]int64{-1, 1, 1, 1}}) }

// strict is a test whose failure is a panic.
type strict struct{ testing.TB }

func (strict) Helper() {}

func (strict) Errorf(format string, values ...any) { panic(fmt.Sprintf(format, values...)) }

func (s strict) Fatalf(format string, values ...any) { s.Errorf(format, values...) }

func (s strict) Fatal(values ...any) { panic(fmt.Sprint(values...)) }

func (s strict) Error(values ...any) { s.Fatal(values...) }

func (s strict) Skip(values ...any) { s.Fatal(values...) }
