package versus

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/lab/peer"
)

// onCubic calls do in a network namespace of its own, whose loopback connections use cubic, whatever
// the system's congestion control is: the routes name it, which changes nothing outside.
func onCubic(ctx context.Context, do func()) error {
	return inNamespace(ctx, do, "ip",
		"route replace local 127.0.0.0/8 dev lo table local congctl cubic",
		"route del local 127.0.0.1 dev lo table local") // it would come first
}

// onLossy calls do in a network namespace of its own, on whose loopback a packet takes 25 ms and one of a hundred
// is lost.
func onLossy(ctx context.Context, do func()) error {
	return inNamespace(ctx, do, "tc", "qdisc add dev lo root netem delay 25ms loss 1% limit 100000")
}

// inNamespace calls do in a network namespace of its own, after these commands of a program. The processes
// that do starts are in the namespace, too. Without the right to make one, `unshare -rn` gives it.
func inNamespace(ctx context.Context, do func(), program string, commands ...string) error {
	done := make(chan error)
	go func() {
		// Namespaces belong to threads. This one ends with the goroutine, as it is never unlocked.
		runtime.LockOSThread()
		err := enterNamespace(ctx, program, commands)
		if err == nil {
			err = ended(do)
		}
		done <- err
	}()
	return <-done
}

// errNamespace means that a namespace could not be made as wanted.
var errNamespace = errors.New("make a network namespace")

func enterNamespace(ctx context.Context, program string, commands []string) error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("%w: %w; run this as root, or under unshare -rn", errNamespace, err)
	}
	if out, err := exec.CommandContext(ctx, "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: ip link set lo up: %w: %s", errNamespace, err, out)
	}
	for _, command := range commands {
		if out, err := exec.CommandContext(ctx, program, strings.Fields(command)...).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s %s: %w: %s", errNamespace, program, command, err, peer.FirstLine(string(out)))
		}
	}
	return nil
}
