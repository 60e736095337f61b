package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/thresh-dev/thresh/lab/peer"
)

// relayBytes is how much goes through a relay in one sample.
const relayBytes = 4 << 30

// startUpstream starts the upstream server of the relays, on the clients' processor.
func (st *stage) startUpstream(ctx context.Context) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	return st.start(ctx, st.pins.client, "upstream", addr, st.self, childCommand, "upstream", addr)
}

// relayThresh starts thresh as a relay, as a given user or, if nil, as the current one.
func (st *stage) relayThresh(ctx context.Context, program, to string, user *syscall.Credential) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	return st.startAs(ctx, user, st.pins.server, "thresh", addr,
		program, "relay", "--listen", addr, "--to", to, "--metrics", "127.0.0.1:0")
}

func (st *stage) relayGo(ctx context.Context, to string) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	return st.start(ctx, st.pins.server, "copy of 32 KiB", addr, st.self, childCommand, "copyrelay", addr, to)
}

// relayHAProxy starts HAProxy with one thread.
func (st *stage) relayHAProxy(ctx context.Context, to string) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	args, err := peer.HAProxy(addr, to, st.temp)
	if err != nil {
		return nil, err
	}
	return st.start(ctx, st.pins.server, "HAProxy", addr, args...)
}

// streams returns a client that receives bytes through the relay over a number of connections.
func (st *stage) streams(s *server, conns, idle int) (contender, error) {
	pids, err := s.pidList()
	each := relayBytes / int64(conns)
	if st.quick {
		each /= 8
	}
	c := st.client(s.name, "stream", s.addr, strconv.Itoa(conns), fmt.Sprint(each), strconv.Itoa(idle), pids)
	c.want = fmt.Sprint(each * int64(conns))
	return c, err
}

// sameStream checks once that the relay forwards the upstream's bytes unchanged.
func (st *stage) sameStream(ctx context.Context, s *server) error {
	pids, err := s.pidList()
	if err != nil {
		return err
	}
	const conns, each = 4, 100 << 20
	c := st.client(s.name, "stream-check", s.addr, strconv.Itoa(conns), strconv.Itoa(each), "2", pids)
	c.want = strconv.Itoa(conns * each)
	_, err = c.exec(ctx)
	return err
}

// anyState is the state for a case without files.
func anyState() state { return state{before: func() error { return nil }} }

// relayCPU compares the processor time of relays with few connections.
func relayCPU(ctx context.Context, b *bench, name string) (err error) {
	st, err := b.newStage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	up, err := st.startUpstream(ctx)
	if err != nil {
		return err
	}
	thresh, terr := st.relayThresh(ctx, st.thresh, up.addr, nil)
	loop, lerr := st.relayGo(ctx, up.addr)
	haproxy, herr := st.relayHAProxy(ctx, up.addr)
	if err := errors.Join(terr, lerr, herr); err != nil {
		return err
	}
	targets := []target{{}, atMost(0.4), atMost(1.1)}
	var sides []contender
	for i, s := range []*server{thresh, loop, haproxy} {
		if err := st.sameStream(ctx, s); err != nil {
			return err
		}
		c, err := st.streams(s, 4, 0)
		if err != nil {
			return err
		}
		c.target = targets[i]
		if s == haproxy {
			c.note = pacedNote()
		}
		sides = append(sides, c)
	}
	return b.compareCPU(ctx, name, anyState(), relayBytes, sides)
}

// relayCubic compares with HAProxy where nothing is paced, so that neither side is helped.
func relayCubic(ctx context.Context, b *bench, name string) error {
	return onCubic(ctx, func() error {
		for _, conns := range []int{4, 1} {
			if err := b.relayCubic(ctx, name, conns); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *bench) relayCubic(ctx context.Context, name string, conns int) (err error) {
	st, err := b.newStage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	up, err := st.startUpstream(ctx)
	if err != nil {
		return err
	}
	thresh, terr := st.relayThresh(ctx, st.thresh, up.addr, nil)
	haproxy, herr := st.relayHAProxy(ctx, up.addr)
	if err := errors.Join(terr, herr); err != nil {
		return err
	}
	var sides []contender
	for _, s := range []*server{thresh, haproxy} {
		if err := st.sameStream(ctx, s); err != nil {
			return err
		}
		c, err := st.streams(s, conns, 0)
		if err != nil {
			return err
		}
		sides = append(sides, c)
	}
	sides[1].name = fmt.Sprintf("HAProxy, %d connections", conns)
	if conns == 1 {
		sides[1].name = "HAProxy, one connection"
	}
	sides[1].target, sides[1].note = atMost(1.0), "all sockets use cubic"
	return b.compareCPU(ctx, name, anyState(), relayBytes, sides)
}

// relayMany compares the cost of a byte over few connections with that over many, with many more idle
// ones. It runs as a user whose pipes the kernel limits.
func relayMany(ctx context.Context, b *bench, name string) (err error) {
	st, err := b.newStage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	user, program := (*syscall.Credential)(nil), b.thresh
	who := "as this user"
	if os.Getuid() == 0 {
		const nobody = 65534
		who, user = "as nobody", &syscall.Credential{Uid: nobody, Gid: nobody}
		// A place from which that user may run it.
		program = filepath.Join(st.temp, "thresh")
		if err := copyProgram(program, b.thresh); err != nil {
			return err
		}
	}
	up, err := st.startUpstream(ctx)
	if err != nil {
		return err
	}
	relay, err := st.relayThresh(ctx, program, up.addr, user)
	if err != nil {
		return err
	}
	if err := st.sameStream(ctx, relay); err != nil {
		return err
	}
	many, merr := st.streams(relay, 100, 1000)
	few, ferr := st.streams(relay, 10, 0)
	if err := errors.Join(merr, ferr); err != nil {
		return err
	}
	few.name, few.target = "itself, 10 busy", atMost(1.1)
	few.note = "100 busy and 1,000 idle, " + who + "; a tenth is noise"
	return b.compareCPU(ctx, name, anyState(), relayBytes, []contender{many, few})
}

func copyProgram(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() // read only
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// pacedNote tells when a part of thresh's lead does not come from its relaying: if the system's
// congestion control is BBR, which paces, thresh uses another one on the loopback, and HAProxy cannot.
func pacedNote() string {
	control, err := os.ReadFile("/proc/sys/net/ipv4/tcp_congestion_control")
	if err != nil || !strings.HasPrefix(string(control), "bbr") {
		return ""
	}
	return "its sockets are paced by " + strings.TrimSpace(string(control)) + ", thresh's are not"
}
