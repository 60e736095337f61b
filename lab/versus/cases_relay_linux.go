package versus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/peer"
)

// relayBytes is how much goes through a relay in one sample.
const relayBytes = 4 << 30

// startUpstream starts the upstream server of the relays, on the clients' processor.
func (st *stage) startUpstream() *server {
	return st.start(st.pins.client, "upstream", nil, func(addr string) []string {
		return []string{st.Self, childCommand, "upstream", addr}
	})
}

// relayThresh starts thresh as a relay, as a given user or, if nil, as the current one.
func (st *stage) relayThresh(program, to string, user *syscall.Credential) *server {
	return st.relayed(st.start(st.pins.server, "thresh", user, func(addr string) []string {
		return []string{program, "relay", "--listen", addr, "--to", to, "--metrics", "127.0.0.1:0"}
	}))
}

func (st *stage) relayGo(to string) *server {
	return st.relayed(st.serve("copy of 32 KiB", func(addr string) []string {
		return []string{st.Self, childCommand, "copyrelay", addr, to}
	}))
}

// relayHAProxy starts HAProxy with one thread.
func (st *stage) relayHAProxy(to string) *server {
	return st.relayed(st.serve("HAProxy", func(addr string) []string { return try(peer.HAProxy(addr, to, st.temp)) }))
}

// relayed checks once that a relay forwards the upstream's bytes unchanged.
func (st *stage) relayed(s *server) *server {
	const conns, each = 4, 100 << 20
	c := st.client(s.name, conns*each, "stream-check", s.addr, conns, each, 2, try(s.pidList()))
	try(c.exec(st.ctx))
	return s
}

// streams returns a client that receives bytes through the relay over a number of connections.
func (st *stage) streams(s *server, conns, idle int) contender {
	each := relayBytes / int64(conns)
	if st.Quick {
		each /= 8
	}
	return st.client(s.name, each*int64(conns), "stream", s.addr, conns, each, idle, try(s.pidList()))
}

// relayCPU compares the processor time of relays with few connections.
func relayCPU(b *bench) {
	b.staged(func(st *stage) {
		up := st.startUpstream()
		thresh := st.streams(st.relayThresh(st.Thresh, up.addr, nil), 4, 0)
		loop := st.streams(st.relayGo(up.addr), 4, 0)
		haproxy := st.streams(st.relayHAProxy(up.addr), 4, 0)
		b.compareCPU(anyState, relayBytes, thresh, loop.as(loop.name, lab.AtMost(0.4), ""),
			haproxy.as(haproxy.name, lab.AtMost(1.1), pacedNote()))
	})
}

// relayCubic compares with HAProxy where nothing is paced, so that neither side is helped.
func relayCubic(b *bench) {
	check(onCubic(b.ctx, func() {
		for _, conns := range []int{4, 1} {
			name := map[int]string{4: "HAProxy, 4 connections", 1: "HAProxy, one connection"}[conns]
			b.staged(func(st *stage) {
				up := st.startUpstream()
				thresh := st.streams(st.relayThresh(st.Thresh, up.addr, nil), conns, 0)
				haproxy := st.streams(st.relayHAProxy(up.addr), conns, 0)
				b.compareCPU(anyState, relayBytes, thresh, haproxy.as(name, lab.AtMost(1.0), "all sockets use cubic"))
			})
		}
	}))
}

// relayMany compares the cost of a byte over few connections with that over many, with many more idle
// ones. It runs as a user whose pipes the kernel limits.
func relayMany(b *bench) {
	b.staged(func(st *stage) {
		program, who, user := b.Thresh, "as this user", (*syscall.Credential)(nil)
		if os.Getuid() == 0 {
			const nobody = 65534
			who, user = "as nobody", &syscall.Credential{Uid: nobody, Gid: nobody}
			program = filepath.Join(st.temp, "thresh") // a place from which that user may run it
			check(os.WriteFile(program, try(os.ReadFile(b.Thresh)), 0o755))
		}
		relay := st.relayThresh(program, st.startUpstream().addr, user)
		few := st.streams(relay, 10, 0).
			as("itself, 10 busy", lab.AtMost(1.1), "100 busy and 1,000 idle, "+who+"; a tenth is noise")
		b.compareCPU(anyState, relayBytes, st.streams(relay, 100, 1000), few)
	})
}

// pacedNote tells when a part of thresh's lead does not come from its relaying: if the system's
// congestion control is BBR, which paces, thresh uses another one on the loopback, and HAProxy cannot.
func pacedNote() string {
	control, err := os.ReadFile("/proc/sys/net/ipv4/tcp_congestion_control")
	if err != nil || !strings.HasPrefix(string(control), "bbr") {
		return ""
	}
	return fmt.Sprintf("its sockets are paced by %s, thresh's are not", strings.TrimSpace(string(control)))
}
