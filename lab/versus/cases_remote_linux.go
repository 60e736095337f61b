package versus

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/thresh-dev/thresh/internal/net/selfsigned"
	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/pagecache"
	"github.com/thresh-dev/thresh/lab/peer"
)

// The remote cases ask questions about an object of a server on this machine. The peer reads the same object by
// ranges, over as many connections and with such ranges as are fastest of all that were tried in the same run. It
// discards the bytes, so its rate is what the way to the server has to give.

// object is what a case reads, and from where.
type object struct {
	file *pagecache.File
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
	c := st.client("reader of ranges", o.file.Bytes, "fetch", o.url, o.file.Bytes, way.conns, way.rangeBytes, millis)
	c.env, c.rate = o.env, nil
	return c
}

// A trial takes this long, where connections are fast at once and where they are not.
const trialNearMillis, trialFarMillis = 500, 1500

// bestReader finds the peer's fastest way with short runs.
func (st *stage) bestReader(o object, ways []fetchWay) (best contender) {
	trialMillis := trialNearMillis
	if o.far {
		trialMillis = trialFarMillis
	}
	bestRate := 0.0
	for _, way := range ways {
		c := st.reader(o, way, trialMillis)
		c.answer = func(string) (string, error) { return c.want, nil } // it may end before the object does
		c.rate = func(o peer.Output) (float64, error) {
			w, err := parseWork(o.Stdout)
			if w.Bytes == 0 && w.Seconds > 0 {
				return 0, nil // nothing came in so short a time: another way is better
			}
			return float64(w.Bytes) / w.Seconds, err
		}
		rate := try(c.sample(st.ctx, 0))
		st.logf("  %d connections, ranges of %d MiB: %.3f GB/s", way.conns, way.rangeBytes>>20, rate/1e9)
		if rate > bestRate {
			best, bestRate = st.reader(o, way, 0), rate
			best.note = fmt.Sprintf("best of %d ways: %d connections, ranges of %d MiB",
				len(ways), way.conns, way.rangeBytes>>20)
		}
	}
	if bestRate == 0 {
		check(fmt.Errorf("none of %d ways to read ranges brought a byte in %d ms", len(ways), trialMillis))
	}
	return best
}

// remoteQuestion is a question about a file on a server, and its answer.
type remoteQuestion struct {
	file *pagecache.File
	args []string
	want any
}

// remoteLines asks for the lines of a log.
func remoteLines(log *pagecache.File) remoteQuestion {
	return remoteQuestion{log, []string{"count", "--lines"}, linesOf(log)}
}

// The object's path, the same on all servers.
const (
	bucket = "bucket"
	key    = "object"
)

// An opener starts a server of a folder, and returns where the object is then.
type opener func(st *stage, folder string) object

// remote serves a file as the object in its bucket, asks a question about it, and compares with the peer.
func (b *bench) remote(q remoteQuestion, open opener, ways []fetchWay, note string) {
	folder := filepath.Join(b.data.folder, "remote")
	in := filepath.Join(folder, bucket)
	check(errors.Join(os.RemoveAll(folder), os.MkdirAll(in, 0o755), os.Link(q.file.Name, filepath.Join(in, key))))
	defer os.RemoveAll(folder) // the next case does otherwise
	b.staged(func(st *stage) {
		o := open(st, folder)
		o.file = q.file
		best := st.bestReader(o, ways)
		best.name = "reader of ranges, for " + strings.Join(q.args, " ")
		best.target = lab.AtLeast(0.9)
		best.note = strings.TrimPrefix(note+"; "+best.note, "; ")
		thresh := b.thresh(q.want, append(append(q.args, o.args...), o.name)...)
		thresh.args, thresh.env = on(st.pins.client, thresh.args...), o.env
		b.compare(servedState(q.file), q.file.Bytes, thresh, best)
	})
}

func overHTTP(st *stage, folder string) (o object) {
	o.url = fmt.Sprintf("http://%s/%s/%s", st.serveNginx(folder).addr, bucket, key)
	o.name = o.url
	return o
}

func overTLS(st *stage, folder string) (o object) {
	keys := filepath.Join(st.temp, "tls")
	loopback := selfsigned.Subject{Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")}}
	certificate := try(selfsigned.Open(keys, loopback, nil)).File()
	s := st.serve("nginx", func(addr string) []string {
		return try(peer.NginxTLS(addr, folder, st.temp, try(descriptors()), certificate,
			filepath.Join(keys, "self-signed.key")))
	})
	o.url = fmt.Sprintf("https://%s/%s/%s", s.addr, bucket, key)
	o.name, o.env = o.url, []string{"SSL_CERT_FILE=" + certificate}
	return o
}

// allowAll lets requests without a signature read the bucket.
const allowAll = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject",` +
	`"Resource":"arn:aws:s3:::` + bucket + `/*"}]}`

func fromStore(st *stage, folder string) (o object) {
	const user, secret = "user", "secret"
	addr := st.serve("versitygw", func(addr string) []string {
		return []string{"versitygw", "--port", addr, "--keep-alive", "--quiet",
			"--access", user, "--secret", secret, "posix", folder}
	}).addr
	allow := contender{name: "curl", args: []string{"curl", "-sS", "--fail", "--aws-sigv4", "aws:amz:us-east-1:s3",
		"--user", user + ":" + secret, "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD", "-X", "PUT", "--data", allowAll,
		fmt.Sprintf("http://%s/%s?policy=", addr, bucket)}}
	try(allow.exec(st.ctx))
	o.url = fmt.Sprintf("http://%s/%s/%s", addr, bucket, key)
	o.name, o.args = fmt.Sprintf("s3://%s/%s", bucket, key), []string{"--s3-endpoint", "http://" + addr}
	o.env = []string{"AWS_ACCESS_KEY_ID=" + user, "AWS_SECRET_ACCESS_KEY=" + secret, "AWS_REGION=us-east-1"}
	return o
}

// remoteNear asks for the lines of a log and for the first nonzero byte of the haystack.
func remoteNear(open opener) func(b *bench) {
	return func(b *bench) {
		ways := fetchWays(1, 2, 4, 8, 16)
		b.remote(remoteLines(b.log()), open, ways, "")
		b.remote(remoteQuestion{b.haystack(), []string{"find", "--nonzero"}, b.needleOffset()}, open, ways, "")
	}
}

const (
	farOneWayMicros = 25_000
	farWindow       = 256 << 10
	farBytes        = 4 << 30
	lossyBytes      = 512 << 20
)

// farther opens an object behind a relay of ours that delays what it passes on.
func farther(window int) opener {
	return func(st *stage, folder string) object {
		o := overHTTP(st, folder)
		to := st.servers[0].addr
		addr := st.serve("delay", func(addr string) []string {
			return []string{st.Self, childCommand, "delay", addr, to, fmt.Sprint(farOneWayMicros), fmt.Sprint(window)}
		}).addr
		o.far = true
		o.url, o.name = strings.Replace(o.url, to, addr, 1), strings.Replace(o.name, to, addr, 1)
		return o
	}
}

// afar opens an object behind a way that is long by itself.
func afar(st *stage, folder string) object {
	o := overHTTP(st, folder)
	o.far = true
	return o
}

// remoteLog counts the lines of a log of that size. It tries more connections: what one brings is little.
func (b *bench) remoteLog(size int64, open opener, note string) {
	b.remote(remoteLines(b.logOf(size)), open, fetchWays(4, 8, 16, 32, 64), note)
}

// remoteFar delays by a relay of ours, with at most farWindow of a connection on its way.
func remoteFar(b *bench) {
	note := fmt.Sprintf("a relay delays by 25 ms each way, at most %d KiB of a connection at a time", farWindow>>10)
	b.remoteLog(farBytes, farther(farWindow), note)
}

// remoteLossy loses packets by the kernel's netem, or, where the kernel is built without that, stands in for it.
func remoteLossy(b *bench) {
	err := onLossy(b.ctx, func() {
		b.remoteLog(lossyBytes, afar, "netem delays by 25 ms each way and loses 1 % of the packets")
	})
	if !errors.Is(err, errNamespace) {
		check(err)
		return
	}
	b.logf("  %v", err)
	note := fmt.Sprintf("no netem here: a relay delays by 25 ms each way, at most %.1f kB of a connection "+
		"at a time, as Reno with 1 %% of loss", lossyWindow/1e3)
	b.remoteLog(lossyBytes, farther(lossyWindow), note)
}
