package wall

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/cgroup"
	"github.com/thresh-dev/thresh/receipt"
)

// childVariable makes the test binary play the role it names instead of testing.
const childVariable = "THRESH_WALL_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childVariable) {
	case "":
		os.Exit(m.Run())
	case "quota":
		quotaChild()
	case "burn":
		burn(time.Now().Add(3*runTime), 2*runtime.NumCPU())
	}
}

// burn keeps processors busy from a number of threads.
func burn(until time.Time, threads int) {
	runtime.GOMAXPROCS(threads)
	var group sync.WaitGroup
	block := make([]byte, 64<<10)
	for range threads {
		group.Go(func() {
			for time.Now().Before(until) {
				slowFunction(block)
			}
		})
	}
	group.Wait()
}

// child starts the test binary in a role. It begins once its standard input is closed.
func child(t *testing.T, role string) (cmd *exec.Cmd, begin io.Closer, output *strings.Builder) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+role)
	cmd.Stderr = os.Stderr
	output = new(strings.Builder)
	cmd.Stdout = output
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, output
}

func TestRealContention(t *testing.T) {
	realRun(t)
	cmd, _, _ := child(t, "burn")
	defer func() {
		// The burner ends by itself; nothing needs to wait for it once the run is over.
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		cmd.Wait() // fails because of the kill
	}()
	c, err := measured(workers, func(until time.Time) (int64, error) {
		block := make([]byte, 64<<10)
		return inWorkers(until, func(int) (int64, error) {
			slowFunction(block)
			return int64(len(block)), nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	var r receipt.Receipt
	Divide(&r, c, Probes{}, nil)
	t.Logf("%s\n%s", r.Verdict, strings.Join(r.Evidence, "\n"))
	if r.Parts[0].Wall != receipt.OtherPrograms || r.Parts[0].Share < 0.4 {
		t.Errorf("%s, want other programs", r.Verdict)
	}
}

// quotaChild waits until it is in its group, burns, and prints its counters.
func quotaChild() {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c, err := measured(1, func(until time.Time) (int64, error) {
		block := make([]byte, 64<<10)
		scanned := int64(0)
		for time.Now().Before(until) {
			slowFunction(block)
			scanned += int64(len(block))
		}
		return scanned, nil
	})
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// quotaGroup creates a group below our own that may use a fifth of a processor.
func quotaGroup(t *testing.T) (dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("making a control group needs root")
	}
	own, err := cgroup.Find()
	if err != nil {
		t.Skipf("no control group: %v", err)
	}
	dir, err = os.MkdirTemp(own.Dir, "thresh-test-")
	if err != nil {
		t.Skipf("cannot make a control group: %v", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil {
			t.Error(err)
		}
	})
	limit := map[string]string{"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "20000"}
	if own.Version == 2 {
		limit = map[string]string{"cpu.max": "20000 100000"}
	}
	for name, value := range limit {
		if err := os.WriteFile(dir+"/"+name, []byte(value), 0); err != nil {
			t.Skipf("the control group takes no quota: %v", err)
		}
	}
	return dir
}

func TestRealQuota(t *testing.T) {
	realRun(t)
	dir := quotaGroup(t)
	cmd, begin, output := child(t, "quota")
	pid := strconv.Itoa(cmd.Process.Pid)
	err := os.WriteFile(dir+"/cgroup.procs", []byte(pid), 0)
	err = errors.Join(err, begin.Close(), cmd.Wait())
	if err != nil {
		t.Fatal(err)
	}
	var c Counters
	if err := json.Unmarshal([]byte(output.String()), &c); err != nil {
		t.Fatalf("%v: %q", err, output)
	}
	var r receipt.Receipt
	Divide(&r, c, Probes{}, nil)
	t.Logf("%s\n%s", r.Verdict, strings.Join(r.Evidence, "\n"))
	if r.Wall != receipt.Quota || c.QuotaCPUs != 0.2 {
		t.Errorf("%s, with a quota of %v; want the quota", r.Verdict, c.QuotaCPUs)
	}
}
