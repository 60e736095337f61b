package walls

import (
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/thresh-dev/thresh/wall"
)

// HeldBack reports whether a command is of the third that rules are not made for: a hash of its name with a seed says.
func HeldBack(name string) bool {
	h := fnv.New32a()
	fmt.Fprintf(h, "36 %s", name) // a hash takes everything
	return h.Sum32()%3 == 0
}

// Languages are commands in Python, Node, Java, Go and Rust, most of them event loops and threads. They are for
// counting and not for tests, as not every machine has these languages.
var Languages = []Command{
	python("asyncio sleep", wall.Sleeping, "import asyncio; asyncio.run(asyncio.sleep(1))"),
	python("asyncio, many sleeps", wall.Sleeping, `import asyncio
async def f(): await asyncio.gather(*[asyncio.sleep(1) for _ in range(100)])
asyncio.run(f())`),
	python("asyncio, sleep in a thread", wall.Sleeping, `import asyncio, time
async def f(): await asyncio.to_thread(time.sleep, 1)
asyncio.run(f())`),
	python("asyncio child", wall.Sleeping, `import asyncio
async def f(): await (await asyncio.create_subprocess_exec("sleep", "1")).wait()
asyncio.run(f())`),
	python("select with a pipe of its own", wall.Sleeping,
		"import os, select; r, w = os.pipe(); select.select([r], [], [], 1)"),
	python("epoll with an eventfd", wall.Sleeping, `import os, select
e = select.epoll(); e.register(os.eventfd(0), select.EPOLLIN); e.poll(1)`),
	python("poll with a pair of sockets", wall.Sleeping, `import socket, select
a, b = socket.socketpair(); p = select.poll(); p.register(a, select.POLLIN); p.poll(1000)`),
	python("condition with a limit", wall.Sleeping, "import threading; threading.Event().wait(1)"),
	python("thread that sleeps", wall.Sleeping, `import threading, time
t = threading.Thread(target=time.sleep, args=(1,)); t.start(); t.join()`),
	python("pool of threads that sleep", wall.Sleeping, `import concurrent.futures as c, time
list(c.ThreadPoolExecutor(4).map(time.sleep, [1]*4))`),
	python("sigtimedwait", wall.Sleeping, "import signal; signal.sigtimedwait([signal.SIGUSR1], 1)"),
	python("two threads and one interpreter", wall.Lock, spinning(2)),
	python("four threads and one interpreter", wall.Lock, spinning(4)),
	python("a computing thread", wall.OneCore, spinning(1)),
	python("ping-pong over a pipe", wall.SystemCalls, `import os, time
a, b = os.pipe(), os.pipe(); end = time.time() + 1
if os.fork() == 0:
    while os.read(a[0], 1) != b"e": os.write(b[1], b"x")
    os._exit(0)
while time.time() < end:
    os.write(a[1], b"x"); os.read(b[0], 1)
os.write(a[1], b"e")`),
	python("two processes that compute", wall.AllCores, `import multiprocessing as m, time
def f(end):
    while time.time() < end: pass
p = [m.Process(target=f, args=(time.time() + 1,)) for _ in range(m.cpu_count())]
[x.start() for x in p]; [x.join() for x in p]`),
	python("slow middle", wall.OneCore, `import subprocess
line = "yes | timeout 1 perl -ne \x27for $i (1..99) {$n += $i} print\x27 | cat >/dev/null"
subprocess.run(["sh", "-c", line])`),
	python("silent name server", wall.Network, `import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
t = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
t.bind(("127.0.0.1", 0)); s.connect(t.getsockname()); s.settimeout(1); s.send(b"?")
try: s.recv(9)
except TimeoutError: pass`),
	python("writer of a named pipe", wall.Output, `import os, signal
os.mkfifo("f"); signal.setitimer(signal.ITIMER_REAL, 1); signal.signal(signal.SIGALRM, lambda *a: os._exit(0))
open("f", "w")`),
	{"Python: random reads of a cold mapping", wall.Storage, `exec python3 -c 'import mmap, random, time
f = open("cold"); m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ); m.madvise(mmap.MADV_RANDOM); end = time.time() + 2
for page in random.sample(range(len(m) // 4096), len(m) // 4096):
    m[page * 4096]
    if time.time() > end: break'`, coldFile, true},
	python("mapping given back", wall.PageFaults, `import mmap, time
m = mmap.mmap(-1, 1 << 22); end = time.time() + 1; m.madvise(mmap.MADV_NOHUGEPAGE); x = bytes(1 << 22)
while time.time() < end: m[:] = x; m.madvise(mmap.MADV_DONTNEED)`),

	node("setTimeout", wall.Sleeping, "setTimeout(() => {}, 1500)"),
	node("promise of a timer", wall.Sleeping, `require("timers/promises").setTimeout(1500)`),
	node("timers in a row", wall.Sleeping,
		"let n = 0; const t = setInterval(() => { if (++n > 15) clearInterval(t) }, 100)"),
	node("worker with a timer", wall.Sleeping,
		`new (require("worker_threads").Worker)("setTimeout(() => {}, 1500)", {eval: true})`),
	node("child that sleeps", wall.Sleeping, `require("child_process").spawn("sleep", ["1.5"])`),
	node("loop", wall.OneCore, "const end = Date.now() + 1500; while (Date.now() < end);"),
	node("Atomics.wait", wall.Sleeping, "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)"),
	node("client of a silent server", wall.Network,
		`const s = require("net").connect(process.env.SERVER.split(":")[1], "127.0.0.1"); s.on("data", () => s.end())`),
	node("input", wall.Input, `process.stdin.on("data", () => {}).on("end", () => {})`),

	java("Thread.sleep", wall.Sleeping, "Thread.sleep(2500);"),
	java("selector", wall.Sleeping, "java.nio.channels.Selector.open().select(2500);"),
	java("scheduled pool", wall.Sleeping,
		"var p = java.util.concurrent.Executors.newScheduledThreadPool(2); "+
			"p.schedule(() -> {}, 2500, java.util.concurrent.TimeUnit.MILLISECONDS).get(); p.shutdown();"),
	java("monitor held briefly", wall.Lock, `var o = new Object();
long end = System.nanoTime() + 2500000000L; var t = new Thread[2];
for (int i = 0; i < 2; i++) { t[i] = new Thread(() -> { while (System.nanoTime() < end) synchronized (o) {
  for (long k = System.nanoTime() + 200000; System.nanoTime() < k;); } }); t[i].start(); }
for (var x : t) x.join();`),
	java("selector with a pipe of its own", wall.Sleeping, `var s = java.nio.channels.Selector.open();
var p = java.nio.channels.Pipe.open(); p.source().configureBlocking(false);
p.source().register(s, 1); s.select(2500);`),
	java("completable future", wall.Sleeping, `java.util.concurrent.CompletableFuture.runAsync(() -> {},
java.util.concurrent.CompletableFuture.delayedExecutor(
2500, java.util.concurrent.TimeUnit.MILLISECONDS)).join();`),
	java("loop", wall.OneCore, "long end = System.nanoTime() + 2500000000L; while (System.nanoTime() < end);"),

	golang("time.Sleep", wall.Sleeping, "time.Sleep(time.Second)"),
	golang("ticker", wall.Sleeping, "t := time.NewTicker(100 * time.Millisecond); for range 10 { <-t.C }"),
	golang("pipe of its own", wall.Sleeping,
		"r, w, _ := os.Pipe(); r.SetReadDeadline(time.Now().Add(time.Second)); r.Read(make([]byte, 1)); w.Close()"),
	golang("client of a silent server", wall.Network,
		`c, err := net.Dial("tcp", os.Getenv("SERVER")); if err == nil { c.Read(make([]byte, 9)) }`),
	golang("listener with a limit", wall.Network, `l, _ := net.ListenTCP("tcp4", nil)
l.SetDeadline(time.Now().Add(time.Second)); l.Accept()`),
	golang("mutex held briefly", wall.Lock, `var m sync.Mutex; var w sync.WaitGroup
n := 0; end := time.Now().Add(time.Second)
for range 4 { w.Go(func() { for time.Now().Before(end) { m.Lock(); for range 2000 { n++ }; m.Unlock() } }) }
w.Wait()`),
	golang("channel of a sleeper", wall.Sleeping,
		"c := make(chan int); go func() { time.Sleep(time.Second); close(c) }(); <-c"),
	golang("loops", wall.AllCores, `var w sync.WaitGroup; end := time.Now().Add(time.Second)
for range runtime.NumCPU() { w.Go(func() { for time.Now().Before(end) { } }) }
w.Wait()`),

	rust("thread::sleep", wall.Sleeping, "std::thread::sleep(std::time::Duration::from_secs(1));"),
	rust("recv_timeout", wall.Sleeping,
		"let (_s, r) = std::sync::mpsc::channel::<u8>(); let _ = r.recv_timeout(std::time::Duration::from_secs(1));"),
	rust("joined thread", wall.Sleeping,
		"std::thread::spawn(|| std::thread::sleep(std::time::Duration::from_secs(1))).join().unwrap();"),
	rust("loop", wall.OneCore, "let t = std::time::Instant::now(); while t.elapsed().as_secs() < 1 {}"),
	rust("epoll and eventfd", wall.Sleeping, `
#[repr(C, packed)] struct E { e: u32, d: u64 }
extern "C" { fn epoll_create1(f: i32) -> i32; fn eventfd(n: u32, f: i32) -> i32;
  fn epoll_ctl(e: i32, o: i32, f: i32, v: *mut E) -> i32;
  fn epoll_wait(e: i32, v: *mut E, n: i32, t: i32) -> i32; }
unsafe { let mut v = E { e: 1, d: 0 }; let p = epoll_create1(0);
  epoll_ctl(p, 1, eventfd(0, 0), &mut v); epoll_wait(p, &mut v, 1, 1000); }`),
}

func python(name string, want wall.Wall, text string) Command {
	return Command{"Python: " + name, want, "exec python3 -c '" + text + "'", nil, true}
}

func node(name string, want wall.Wall, text string) Command {
	c := Command{"Node: " + name, want, "exec node -e '" + text + "'", nil, true}
	switch want {
	case wall.Network:
		c.Prepare = slowServer
	case wall.Input:
		c.Prepare = slowWriter
	}
	return c
}

// java is a program that is compiled before it is watched, as those of golang and rust are.
func java(name string, want wall.Wall, text string) Command {
	return Command{"Java: " + name, want, "exec java -cp . M", compiled("M.java",
		"class M { public static void main(String[] a) throws Exception { "+text+" } }", "javac", "M.java"), true}
}

func golang(name string, want wall.Wall, text string) Command {
	return Command{"Go: " + name, want, "exec ./m", served(want, compiled("m.go", `package main
import ("net"; "os"; "runtime"; "sync"; "time")
var _, _, _, _, _ = net.Dial, os.Args, runtime.NumCPU, sync.NewCond, time.Now
func main() { `+text+" }", "go", "build", "-o", "m", "m.go")), true}
}

// served adds a silent server to what is prepared, if the network is the wall.
func served(want wall.Wall, prepare func(*Fixture) error) func(*Fixture) error {
	if want != wall.Network {
		return prepare
	}
	return func(f *Fixture) error { return errors.Join(prepare(f), slowServer(f)) }
}

func rust(name string, want wall.Wall, text string) Command {
	return Command{"Rust: " + name, want, "exec ./m", compiled("m.rs",
		"fn main() { "+text+" }", "rustc", "-O", "m.rs"), true}
}

func spinning(threads int) string {
	return fmt.Sprintf(`import threading, time
end = time.time() + 1.5
def f():
    while time.time() < end: pass
t = [threading.Thread(target=f) for _ in range(%d)]
[x.start() for x in t]; [x.join() for x in t]`, threads)
}
