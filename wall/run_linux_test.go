package wall_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/wall"
)

func self(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// shell returns a command in which $SELF is the helper of package walls.
func shell(t *testing.T, line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = append(os.Environ(), "THRESH_WALLS_HELPER=1", "SELF="+self(t))
	return cmd
}

// TestAccounts: processor time of children, grandchildren and the command itself counts once, also if
// they are short. The sums of /proc are compared with what the system says at the end.
func TestAccounts(t *testing.T) {
	retry(t, accounts)
}

// retry tries something a few times: on a busy machine the sampler may miss what is short.
func retry(t *testing.T, try func(t *testing.T) error) {
	t.Helper()
	var all []error
	for range 8 {
		err := try(t)
		if err == nil {
			return
		}
		all = append(all, err)
	}
	t.Error(errors.Join(all...))
}

func accounts(t *testing.T) error {
	cmd := shell(t, `i=0; while [ $i -lt 60 ]; do (:); sh -c 'sh -c :; :'; i=$((i+1)); done; sh -c '$SELF spin 1; :'; $SELF spin 1`)
	files := openFiles(t)
	r, err := wall.Run(t.Context(), cmd, wall.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sampled, told := r.Evidence.User+r.Evidence.System, (r.User + r.System).Seconds()
	if d := r.Elapsed.Seconds() - r.Evidence.Seconds; d > 1e-6 || d < -1e-6 {
		t.Errorf("evidence of %v s for %v", r.Evidence.Seconds, r.Elapsed)
	}
	var states float64
	for _, v := range []float64{r.Evidence.Running, r.Evidence.OnStorage, r.Evidence.OnMemory, r.Evidence.OnLock, r.Evidence.OnNetwork,
		r.Evidence.OnInput, r.Evidence.OnOutput, r.Evidence.Asleep, r.Evidence.Stopped, r.Evidence.OnUnknown} {
		states += v
	}
	if d := states - r.Evidence.Seconds; d > 1e-6 || d < -1e-6 {
		t.Errorf("states of %v s in %v s", states, r.Evidence.Seconds)
	}
	var slots, phases float64
	for _, s := range r.Timeline {
		slots += s.Seconds
	}
	for _, p := range r.Phases {
		phases += p.Evidence.Seconds
	}
	if d := slots - phases; d > 1e-6 || d < -1e-6 || len(r.Timeline) < 3 {
		t.Errorf("%d slots of %v s, phases of %v s", len(r.Timeline), slots, phases)
	}
	if after := openFiles(t); after != files {
		t.Errorf("%d open files before, %d after", files, after)
	}
	if sampled < 0.6*told || sampled > 1.3*told || told < 0.1 {
		return fmt.Errorf("%v s of processor time by samples, %v s by the system", sampled, told)
	}
	if r.Evidence.Forks < 3*60 { // unless the numbers of processes began anew
		return fmt.Errorf("%d processes begun, want at least 180", r.Evidence.Forks)
	}
	return nil
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// TestOrphans: processes whose parents have ended are followed, reaped and counted, and what still runs
// at the end is told.
func TestOrphans(t *testing.T) {
	pidFile := t.TempDir() + "/pid"
	cmd := shell(t, `sh -c '$SELF spin 1 & exit'; (setsid sleep 20 & echo $! >`+pidFile+`); sleep 0.5`)
	r, err := wall.Run(t.Context(), cmd, wall.Options{Orphans: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.LeftRunning != 1 {
		t.Errorf("%d processes were left, not 1", r.LeftRunning)
	}
	if r.Wall != wall.Sleeping && r.Wall != wall.OtherPrograms {
		t.Errorf("%s: an orphan that runs is not on the way", r)
	}
	if cpu := (r.User + r.System).Seconds(); cpu < 0.05 {
		t.Errorf("the orphan's processor time is missing: %v s", cpu)
	}
	if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err == nil && pid > 0 {
		t.Errorf("process %d was not reaped", pid)
	}
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatal(err)
	}
	_ = unix.Kill(pid, unix.SIGKILL) // it may be gone by now
	_, _ = unix.Wait4(pid, nil, 0, nil)
}

// TestManyThreads: more threads than are watched one by one. On a busy machine they may end before they
// have all been seen, so there are several tries.
func TestManyThreads(t *testing.T) {
	retry(t, func(t *testing.T) error {
		r, err := wall.Run(t.Context(), shell(t, `exec $SELF threads 400`), wall.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Evidence.ThreadsMax < 400 || r.Evidence.Asleep < 0.05 {
			return fmt.Errorf("%d threads, asleep for %v s: %s", r.Evidence.ThreadsMax, r.Evidence.Asleep, r)
		}
		return nil
	})
}

// TestErrors: what cmd.Run would return.
func TestErrors(t *testing.T) {
	if _, err := wall.Run(t.Context(), exec.Command("/nosuchprogram"), wall.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	var exit *exec.ExitError
	if r, err := wall.Run(t.Context(), exec.Command("sh", "-c", "exit 9"), wall.Options{}); !errors.As(err, &exit) || exit.ExitCode() != 9 || r.Wall == "" {
		t.Errorf("%v, %v", r, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if r, err := wall.Run(ctx, exec.Command("sleep", "60"), wall.Options{}); !errors.As(err, &exit) || exit.String() != "signal: killed" {
		t.Errorf("%v, %v", r, err)
	}
	if r, err := wall.Watch(t.Context(), 1<<22, wall.Options{}); !errors.Is(err, unix.ESRCH) {
		t.Errorf("%v, %v", r, err)
	}
}

// TestWatch watches a process until it ends, and another for a while.
func TestWatch(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 0.3; :")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // a process that has ended exists until its parent has waited
	r, err := wall.Watch(t.Context(), cmd.Process.Pid, wall.Options{})
	if err != nil || r.Wall != wall.Sleeping && r.Wall != wall.OtherPrograms || len(r.Command) == 0 {
		t.Errorf("%v, %v, %v", r, r.Command, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	cmd = exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	r, err = wall.Watch(ctx, cmd.Process.Pid, wall.Options{})
	if err != nil || r.Wall != wall.Sleeping && r.Wall != wall.OtherPrograms || strings.Join(r.Command, " ") != "sleep 60" {
		t.Errorf("%v, %v, %v", r, r.Command, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // killed
}

// TestOwnCode watches a program's own work, in a process of its own.
func TestOwnCode(t *testing.T) {
	retry(t, func(t *testing.T) error {
		cmd := exec.Command(self(t), "-test.run=^TestOwnWork$", "-test.v")
		cmd.Env = append(os.Environ(), "WALL_TEST_OWN=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if !strings.Contains(string(out), "own wall: sleeping") {
			return fmt.Errorf("%s", out)
		}
		return nil
	})
}

// TestOwnWork is the work.
func TestOwnWork(t *testing.T) {
	if os.Getenv("WALL_TEST_OWN") == "" {
		t.Skip("run by TestOwnCode")
	}
	w, err := wall.Start(wall.Options{})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	fmt.Println("own wall:", w.Stop())
}
