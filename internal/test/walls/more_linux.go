package walls

import "github.com/thresh-dev/thresh/wall"

// More are more commands whose walls are known, for counting how often the verdict is right. They are
// not part of the tests, which are to be quick.
var More = []Command{
	{"sleep under timeout", wall.Sleeping, `timeout 0.3 sleep 5; :`, nil, false},
	{"three sleeps", wall.Sleeping, `sleep 0.1; sleep 0.1; sleep 0.1`, nil, false},
	{"two sleeps at once", wall.Sleeping, `sleep 0.3 | sleep 0.3`, nil, false},
	{"sleep of perl", wall.Sleeping, `perl -e 'use Time::HiRes "sleep"; sleep 0.3'`, nil, false},
	{"sleep below four shells", wall.Sleeping, `sh -c 'sh -c "sh -c \"sleep 0.3; :\"; :"; :'; :`, nil, false},
	{"sleep in make", wall.Sleeping, `printf 'all:\n\tsleep 0.3\n' >Makefile; make -s`, nil, false},
	{"sleep in xargs", wall.Sleeping, `echo 0.3 | xargs sleep`, nil, false},
	{"loop that polls", wall.Sleeping, `for i in 1 2 3 4 5; do sleep 0.06; done`, nil, false},

	{"wc", wall.Input, `exec wc -l`, slowWriter, false},
	{"tee", wall.Input, `exec tee copy`, slowWriter, false},
	{"sed", wall.Input, `exec sed s/a/b/`, slowWriter, false},
	{"awk", wall.Input, `exec awk '{n++} END {print n}'`, slowWriter, false},
	{"while read", wall.Input, `while read x; do :; done`, slowWriter, false},
	{"xargs", wall.Input, `exec xargs echo`, slowWriter, false},
	{"perl", wall.Input, `exec perl -ne 1`, slowWriter, false},
	{"tail -f", wall.Input, `: >file; timeout 0.3 tail -f file; :`, nil, false},
	{"gzip of a slow writer", wall.Input, `gzip | cat >copy`, slowWriter, false},

	{"yes", wall.Output, `yes | head -c 300000`, slowReader, false},
	{"seq", wall.Output, `exec seq 100000`, slowReader, false},
	{"tr", wall.Output, `head -c 400000 /dev/zero | tr '\0' x`, slowReader, false},
	{"dd", wall.Output, `exec dd if=/dev/zero bs=64k count=5`, slowReader, false},

	{"flock, shared", wall.Lock, `exec flock -s lock true`, lockHeld, false},
	{"flock with a limit", wall.Lock, `exec flock -w 5 lock true`, lockHeld, false},
	{"two flocks", wall.Lock, `flock lock true & flock lock true; wait`, lockHeld, false},

	{"curl", wall.Network, `curl -s --http0.9 http://$SERVER/; :`, slowServer, false},
	{"perl, two reads", wall.Network,
		`perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new($ENV{SERVER}); $x = <$s>; $x = <$s>' | cat`,
		slowServer, false},
	{"select on a socket", wall.Network,
		`perl -MIO::Socket::INET -MIO::Select -e '$s = IO::Socket::INET->new($ENV{SERVER}); ` +
			`IO::Select->new($s)->can_read(9)'`, slowServer, false},

	{"perl loop", wall.OneCore, `timeout 0.3 perl -e '1 while 1'; :`, nil, true},
	{"awk loop", wall.OneCore, `timeout 0.3 awk 'BEGIN {while (1) i++}'; :`, nil, true},
	{"sha256sum", wall.OneCore, `timeout 0.3 sha256sum /dev/zero; :`, nil, true},
	{"gzip", wall.OneCore, `timeout 0.3 gzip -9 </dev/zero >/dev/null; :`, nil, true},
	{"random numbers", wall.OneCore, `timeout 0.3 cat /dev/urandom >/dev/null; :`, nil, true},
	{"large reads", wall.OneCore, `timeout 0.3 dd if=/dev/zero of=/dev/null bs=1M; :`, nil, true},

	{"two perl loops", wall.AllCores,
		`for i in $(seq $(nproc)); do timeout 0.3 perl -e '1 while 1' & done; wait`, nil, true},
	{"xz -T0", wall.AllCores,
		`head -c 20000000 /dev/urandom >x; timeout 0.6 xz -T0 --block-size=500000 -0 -c x >/dev/null; :`, nil, true},
	{"more threads than processors", wall.AllCores,
		`for i in $(seq $(($(nproc)*2))); do timeout 0.3 perl -e '1 while 1' & done; wait`, nil, true},

	{"small blocks", wall.SystemCalls, `timeout 0.3 dd if=/dev/zero of=/dev/null bs=16; :`, nil, true},
	{"getppid", wall.SystemCalls, `timeout 0.3 perl -e 'getppid while 1'; :`, nil, true},
	{"stat of perl", wall.SystemCalls, `timeout 0.3 perl -e '-e "/etc/passwd" while 1'; :`, nil, true},
	{"find", wall.SystemCalls, `timeout 0.3 sh -c 'while :; do find /etc >/dev/null; done'; :`, nil, true},

	{"programs of perl", wall.Processes, `timeout 0.4 perl -e 'system "/bin/true" while 1'; :`, nil, true},
	{"programs of find", wall.Processes,
		`mkdir d; (cd d; seq 200 | xargs touch); find d -type f -exec /bin/true ';'`, nil, true},
	{"programs of make", wall.Processes,
		`(echo 'all:'; for i in $(seq 150); do printf '\t@/bin/true %s\n' $i; done) >Makefile; make -s`, nil, true},
	{"expr", wall.Processes, `i=0; while [ $i -lt 150 ]; do i=$(expr $i + 1); done`, nil, true},

	{"fsync", wall.Storage,
		`timeout 0.3 dd if=/dev/zero of=file bs=4k oflag=sync; :`, nil, true},
	{"direct reads in pieces", wall.Storage,
		`timeout 0.3 sh -c 'while :; do dd if=file of=/dev/null bs=256k iflag=direct; done'; :`, someFile, true},
}
