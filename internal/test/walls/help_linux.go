package walls

import (
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// helper is an environment variable that makes a program do what a command asks for.
const helper = "THRESH_WALLS_HELPER"

// Help does what a command wants of $SELF, and ends the program. It returns if there is no such command.
func Help() {
	if os.Getenv(helper) == "" || len(os.Args) < 2 {
		return
	}
	help(os.Args[1], os.Args[2:])
	os.Exit(0)
}

func help(what string, args []string) {
	switch end := time.Now().Add(Hold); what {
	case "sleep":
		time.Sleep(Hold)
	case "read":
		_, _ = os.Stdin.Read(make([]byte, 10))
	case "dial":
		conn, err := net.Dial("tcp", os.Getenv("SERVER"))
		if err != nil {
			panic(err)
		}
		_, _ = conn.Read(make([]byte, 10))
	case "exchange":
		exchange(args[0])
	case "fcntl":
		f, err := os.OpenFile(args[0], os.O_RDWR, 0)
		if err == nil {
			err = unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLKW, &unix.Flock_t{Type: unix.F_WRLCK})
		}
		if err != nil {
			panic(err)
		}
	case "spin":
		if args[0] == "all" {
			for range runtime.NumCPU() - 1 {
				go spin(end)
			}
		}
		spin(end)
	case "stat":
		for time.Now().Before(end) {
			_, _ = os.Stat("/etc/passwd")
		}
	case "touch":
		touch(end)
	case "threads":
		n, err := strconv.Atoi(args[0])
		if err != nil {
			panic(err)
		}
		var started sync.WaitGroup
		for range n {
			started.Add(1)
			go func() {
				runtime.LockOSThread()
				started.Done()
				_ = unix.Nanosleep(&unix.Timespec{Sec: 60}, nil) // ended with the program
			}()
		}
		started.Wait()
		time.Sleep(Hold)
	case "mutex":
		takeTurns(end)
	}
}

func spin(end time.Time) {
	for time.Now().Before(end) {
	}
}

// touch takes fresh pages again and again, one by one.
func touch(end time.Time) {
	for time.Now().Before(end) {
		m, err := unix.Mmap(-1, 0, 8<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err == nil {
			err = unix.Madvise(m, unix.MADV_NOHUGEPAGE)
		}
		if err != nil {
			panic(err)
		}
		for i := 0; i < len(m); i += 4096 {
			m[i] = 1
		}
		if err := unix.Munmap(m); err != nil {
			panic(err)
		}
	}
}

// takeTurns has two threads of which only one can work at a time.
func takeTurns(end time.Time) {
	pass := [2]chan bool{make(chan bool), make(chan bool)}
	turn := func(k int) {
		runtime.LockOSThread()
		for range pass[k] {
			for range 20000 {
				_ = time.Now()
			}
			select {
			case pass[1-k] <- true:
			case <-time.After(time.Until(end)):
				return
			}
		}
	}
	go turn(1)
	go func() { pass[0] <- true }()
	go func() {
		time.Sleep(time.Until(end))
		os.Exit(0)
	}()
	turn(0)
}
