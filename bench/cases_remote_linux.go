package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/net/selfsigned"
	"github.com/thresh-dev/thresh/lab/peer"
)

// The remote cases ask questions about an object of a server on this machine. The peer reads the same object by
// ranges, over as many connections and with such ranges as are fastest of all that were tried in the same run. It
// discards the bytes, so its rate is what the way to the server has to give.

// object is what a case reads, and from where.
type object struct {
	file *subject
	name string   // for thresh
	url  string   // for the reader, which signs nothing
	args []string // of thresh
	env  []string
	far  bool // answers take a while
}

// fetchWay is a way of reading an object: connections, and bytes of a range.
type fetchWay struct{ conns, rangeBytes int }

func fetchWays(conns ...int) (ways []fetchWay) {
	for _, n := range conns {
		for _, size := range []int{1 << 20, 4 << 20, 16 << 20} {
			ways = append(ways, fetchWay{n, size})
		}
	}
	return ways
}

// reader returns the peer. It ends after so many milliseconds, if not 0.
func (st *stage) reader(o object, way fetchWay, millis int) contender {
	c := st.client("reader of ranges", "fetch", o.url, fmt.Sprint(o.file.Bytes), strconv.Itoa(way.conns),
		strconv.Itoa(way.rangeBytes), strconv.Itoa(millis))
	c.env = o.env
	c.rate = nil
	c.want = fmt.Sprint(o.file.Bytes)
	c.note = fmt.Sprintf("best of %%d ways: %d connections, ranges of %d MiB", way.conns, way.rangeBytes>>20)
	return c
}

// A trial takes this long, where connections are fast at once and where they are not.
const trialNearMillis, trialFarMillis = 500, 1500

// bestReader finds the peer's fastest way with short runs.
func (st *stage) bestReader(ctx context.Context, o object, ways []fetchWay) (best contender, err error) {
	trialMillis := trialNearMillis
	if o.far {
		trialMillis = trialFarMillis
	}
	bestRate := 0.0
	for _, way := range ways {
		c := st.reader(o, way, trialMillis)
		c.answer = func(string) (string, error) { return c.want, nil } // it may end before the object does
		c.rate = func(o outcome) (float64, error) {
			w, err := parseWork(o.stdout)
			return float64(w.Bytes) / w.Seconds, err
		}
		rate, err := c.sample(ctx, 0)
		if err != nil {
			return best, err
		}
		fmt.Fprintf(st.log, "  %d connections, ranges of %d MiB: %.3f GB/s\n", way.conns, way.rangeBytes>>20, rate/1e9)
		if rate > bestRate {
			best, bestRate = st.reader(o, way, 0), rate
		}
	}
	best.note = fmt.Sprintf(best.note, len(ways))
	return best, nil
}

// objectQuestion is a question about an object, and its answer.
type objectQuestion struct {
	what string
	args []string
	want string
}

// besideReader compares thresh's answer to a question with the peer.
func (st *stage) besideReader(
	ctx context.Context, name string, o object, q objectQuestion, ways []fetchWay, note string,
) error {
	best, err := st.bestReader(ctx, o, ways)
	if err != nil {
		return err
	}
	best.name = fmt.Sprintf("reader of ranges, for %s", q.what)
	best.target = atLeast(0.9)
	best.note = strings.TrimPrefix(note+"; "+best.note, "; ")
	args := append(append([]string{st.thresh}, q.args...), o.args...)
	thresh := contender{name: "thresh", args: on(st.pins.client, append(args, o.name)...), env: o.env, want: q.want}
	return st.compare(ctx, name, servedState(o.file), o.file.Bytes, thresh, best)
}

// The object's path, the same on all servers.
const (
	bucket = "bucket"
	key    = "object"
)

// remoteFolder returns the folder that the servers serve. The file is the object in its bucket.
func (b *bench) remoteFolder(file *subject) (string, error) {
	folder := filepath.Join(b.data.folder, "remote")
	object := filepath.Join(folder, bucket, key)
	err := errors.Join(os.RemoveAll(folder), os.MkdirAll(filepath.Dir(object), 0o755))
	if err == nil {
		err = os.Link(file.Name, object)
	}
	return folder, err
}

// openers start a server of a folder, and return where the object is then.
type opener func(ctx context.Context, st *stage, folder string) (object, error)

func overHTTP(ctx context.Context, st *stage, folder string) (o object, err error) {
	s, err := st.serveNginx(ctx, folder)
	if err != nil {
		return o, err
	}
	o.url = fmt.Sprintf("http://%s/%s/%s", s.addr, bucket, key)
	o.name = o.url
	return o, nil
}

func overTLS(ctx context.Context, st *stage, folder string) (o object, err error) {
	keys := filepath.Join(st.temp, "tls")
	loopback := selfsigned.Subject{Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")}}
	certificate, err := selfsigned.Open(keys, loopback, nil)
	if err != nil {
		return o, err
	}
	addr, aerr := freeAddr()
	limit, lerr := descriptors()
	if err := errors.Join(aerr, lerr); err != nil {
		return o, err
	}
	args, err := peer.NginxTLS(addr, folder, st.temp, limit, certificate.File(), filepath.Join(keys, "self-signed.key"))
	if err != nil {
		return o, err
	}
	if _, err := st.start(ctx, st.pins.server, "nginx", addr, args...); err != nil {
		return o, err
	}
	o.url = fmt.Sprintf("https://%s/%s/%s", addr, bucket, key)
	o.name, o.env = o.url, []string{"SSL_CERT_FILE=" + certificate.File()}
	return o, nil
}

// allowAll lets requests without a signature read the bucket.
const allowAll = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject",` +
	`"Resource":"arn:aws:s3:::` + bucket + `/*"}]}`

func fromStore(ctx context.Context, st *stage, folder string) (o object, err error) {
	const user, secret = "user", "secret"
	addr, err := freeAddr()
	if err != nil {
		return o, err
	}
	if _, err := st.start(ctx, st.pins.server, "versitygw", addr, "versitygw", "--port", addr, "--keep-alive", "--quiet",
		"--access", user, "--secret", secret, "posix", folder); err != nil {
		return o, err
	}
	allow := contender{name: "curl", args: []string{"curl", "-sS", "--fail", "--aws-sigv4", "aws:amz:us-east-1:s3",
		"--user", user + ":" + secret, "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD", "-X", "PUT", "--data", allowAll,
		fmt.Sprintf("http://%s/%s?policy=", addr, bucket)}}
	if _, err := allow.exec(ctx); err != nil {
		return o, err
	}
	o.url = fmt.Sprintf("http://%s/%s/%s", addr, bucket, key)
	o.name, o.args = fmt.Sprintf("s3://%s/%s", bucket, key), []string{"--s3-endpoint", "http://" + addr}
	o.env = []string{"AWS_ACCESS_KEY_ID=" + user, "AWS_SECRET_ACCESS_KEY=" + secret, "AWS_REGION=us-east-1"}
	return o, nil
}

func remoteHTTP(ctx context.Context, b *bench, name string) error {
	return b.remoteNear(ctx, name, overHTTP)
}

func remoteHTTPS(ctx context.Context, b *bench, name string) error {
	return b.remoteNear(ctx, name, overTLS)
}

func remoteS3(ctx context.Context, b *bench, name string) error {
	return b.remoteNear(ctx, name, fromStore)
}

// remoteNear asks for the lines of a log and for the first nonzero byte of the haystack.
func (b *bench) remoteNear(ctx context.Context, name string, open opener) error {
	log, _, err := b.logFile()
	if err != nil {
		return err
	}
	defer log.Close()
	lines, err := linesOf(log)
	if err != nil {
		return err
	}
	hay, err := b.haystack()
	if err != nil {
		return err
	}
	defer hay.Close()
	ways := fetchWays(1, 2, 4, 8, 16)
	count := objectQuestion{"count --lines", []string{"count", "--lines"}, lines}
	find := objectQuestion{"find --nonzero", []string{"find", "--nonzero"}, fmt.Sprint(b.needleOffset())}
	return errors.Join(b.remote(ctx, name, log, count, open, ways, ""), b.remote(ctx, name, hay, find, open, ways, ""))
}

// remote serves a file and asks a question about it.
func (b *bench) remote(
	ctx context.Context, name string, file *subject, q objectQuestion, open opener, ways []fetchWay, note string,
) (err error) {
	folder, err := b.remoteFolder(file)
	if err != nil {
		return err
	}
	st, err := b.newStage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close(), os.RemoveAll(folder)) }()
	o, err := open(ctx, st, folder)
	if err != nil {
		return err
	}
	o.file = file
	return st.besideReader(ctx, name, o, q, ways, note)
}

const (
	farOneWayMicros = 25_000
	farWindow       = 256 << 10
	farBytes        = 4 << 30
	lossyBytes      = 512 << 20
)

// farther opens an object behind a relay of ours that delays what it passes on.
func farther(open opener, window int) opener {
	return func(ctx context.Context, st *stage, folder string) (object, error) {
		o, err := open(ctx, st, folder)
		if err != nil {
			return o, err
		}
		addr, err := freeAddr()
		if err != nil {
			return o, err
		}
		to := st.servers[0].addr
		_, err = st.start(ctx, st.pins.server, "delay", addr, st.self, childCommand, "delay", addr, to,
			strconv.Itoa(farOneWayMicros), strconv.Itoa(window))
		o.far = true
		o.url, o.name = strings.Replace(o.url, to, addr, 1), strings.Replace(o.name, to, addr, 1)
		return o, err
	}
}

// afar opens an object behind a way that is long by itself.
func afar(ctx context.Context, st *stage, folder string) (object, error) {
	o, err := overHTTP(ctx, st, folder)
	o.far = true
	return o, err
}

// farWays tries more connections: what one brings is little.
func farWays() []fetchWay { return fetchWays(4, 8, 16, 32, 64) }

// remoteFar delays by a relay of ours, with at most farWindow of a connection on its way.
func remoteFar(ctx context.Context, b *bench, name string) error {
	note := fmt.Sprintf("a relay delays by 25 ms each way, at most %d KiB of a connection at a time", farWindow>>10)
	return b.remoteLog(ctx, name, farBytes, farther(overHTTP, farWindow), note)
}

// remoteLossy loses packets by the kernel's netem, or, where the kernel is built without that, stands in for it.
func remoteLossy(ctx context.Context, b *bench, name string) error {
	err := onLossy(ctx, func() error {
		return b.remoteLog(ctx, name, lossyBytes, afar, "netem delays by 25 ms each way and loses 1 % of the packets")
	})
	if !errors.Is(err, errNamespace) {
		return err
	}
	fmt.Fprintf(b.log, "  %v\n", err)
	note := fmt.Sprintf("no netem here: a relay delays by 25 ms each way, at most %.1f kB of a connection "+
		"at a time, as Reno with 1 %% of loss", lossyWindow/1e3)
	return b.remoteLog(ctx, name, lossyBytes, farther(overHTTP, lossyWindow), note)
}

// remoteLog counts the lines of a log of that size.
func (b *bench) remoteLog(ctx context.Context, name string, size int64, open opener, note string) error {
	log, err := b.logOf(b.scaled(size))
	if err != nil {
		return err
	}
	defer log.Close()
	lines, err := linesOf(log)
	if err != nil {
		return err
	}
	count := objectQuestion{"count --lines", []string{"count", "--lines"}, lines}
	return b.remote(ctx, name, log, count, open, farWays(), note)
}
