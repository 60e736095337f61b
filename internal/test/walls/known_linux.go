package walls

import "github.com/thresh-dev/thresh/wall"

// Command is a command and its wall.
type Command struct {
	Name string
	Want wall.Wall
	// Line is for sh. $SELF is the running program, which must call Help first.
	Line string
	// Prepare makes what the command needs: its standard streams, files in its folder. It may be nil.
	Prepare func(*Fixture) error
	Busy    bool // it uses processors, so others disturb it
}

// Known are commands whose walls are known. Each takes 0.3 seconds.
var Known = []Command{
	{"sleep", wall.Sleeping, `exec sleep 0.3`, nil, false},
	{"sleep in a script", wall.Sleeping, `sleep 0.3; :`, nil, false},
	{"sleep in the background", wall.Sleeping, `sleep 0.3 & wait`, nil, false},
	{"sleep of a runtime", wall.Sleeping, `exec $SELF sleep`, nil, false},
	{"select on its own sockets", wall.Sleeping, `exec perl -MSocket -e 'socketpair A, B, AF_UNIX, SOCK_STREAM, 0; ` +
		`vec($r, fileno A, 1) = 1; select $r, undef, undef, 0.3'`, nil, false},
	{"poll of its own pipe", wall.Sleeping,
		`exec perl -MIO::Poll -e 'pipe R, W; ` +
			`$p = IO::Poll->new; $p->mask(\*R => POLLIN); $p->poll(0.3)'`,
		nil, false},
	{"select as sleep", wall.Sleeping, `exec perl -e 'select(undef, undef, undef, 0.3)'`, nil, false},
	{"writer that sleeps", wall.Sleeping, `(sleep 0.3; echo) | cat`, nil, false},
	{"reader that sleeps", wall.Sleeping, `cat /dev/zero | sleep 0.3`, nil, false},
	{"three in a row", wall.Sleeping, `(sleep 0.3; echo) | cat | cat`, nil, false},
	{"here is a string", wall.Sleeping, `x=$(sleep 0.3; echo); echo $x`, nil, false},

	{"slow writer", wall.Input, `exec cat`, slowWriter, false},
	{"slow writer of a script", wall.Input, `cat | cat; :`, slowWriter, false},
	{"slow writer of read", wall.Input, `read line; :`, slowWriter, false},
	{"slow writer of a runtime", wall.Input, `exec $SELF read`, slowWriter, false},
	{"slow writer of sort", wall.Input, `sort | tail -1`, slowWriter, false},
	{"local socket", wall.Input,
		`exec perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new($ARGV[0]); print <$s>' socket`, localServer, false},
	{"named pipe", wall.Input, `mkfifo fifo; timeout 0.3 cat fifo; :`, nil, false},
	{"named pipe without a reader", wall.Output, `mkfifo fifo; timeout 0.3 sh -c 'echo >fifo'; :`, nil, false},

	{"slow reader", wall.Output, `exec head -c 200000 /dev/zero`, slowReader, false},
	{"slow reader of two", wall.Output, `head -c 400000 /dev/zero | cat`, slowReader, false},

	{"flock", wall.Lock, `exec flock lock true`, lockHeld, false},
	{"flock in a script", wall.Lock, `flock lock true; :`, lockHeld, false},
	{"lock of a range", wall.Lock, `exec $SELF fcntl lock`, rangeHeld, false},

	{"slow server", wall.Network, `exec $SELF dial`, slowServer, false},
	{"slow server, blocking", wall.Network,
		`exec perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new($ENV{SERVER}); print <$s>'`, slowServer, false},
	{"stopped", wall.Stopped, `(sleep 0.4; kill -CONT $$) & kill -STOP $$`, nil, false},

	{"one thread", wall.OneCore, `exec $SELF spin 1`, nil, true},
	{"one thread of a shell", wall.OneCore, `timeout 0.3 sh -c 'while :; do :; done'; :`, nil, true},
	{"all threads", wall.AllCores, `exec $SELF spin all`, nil, true},
	{"a process each", wall.AllCores, `for i in $(seq $(nproc)); do $SELF spin 1 & done; wait`, nil, true},
	{"copies of the kernel", wall.OneCore, `timeout 0.3 cat /dev/zero >/dev/null; :`, nil, true},
	{"tiny reads and writes", wall.SystemCalls, `timeout 0.3 dd if=/dev/zero of=/dev/null bs=1; :`, nil, true},
	{"names of files", wall.SystemCalls, `exec $SELF stat`, nil, true},
	{"fresh pages", wall.PageFaults, `exec $SELF touch`, nil, true},
	{"small programs", wall.Processes, `i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done`, nil, true},
	{"subshells", wall.Processes, `i=0; while [ $i -lt 500 ]; do (:); i=$((i+1)); done`, nil, true},
	{"xargs", wall.Processes, `seq 200 | xargs -n 1 /bin/true`, nil, true},
	{"turns at a mutex", wall.Lock, `exec $SELF mutex`, nil, true},
	{"direct reads", wall.Storage,
		`timeout 0.3 sh -c 'while :; do dd if=file of=/dev/null bs=64k iflag=direct; done'; :`, someFile, true},
	{"synced writes", wall.Storage, `timeout 0.3 dd if=/dev/zero of=file bs=4k oflag=direct,dsync; :`, nil, true},
}
