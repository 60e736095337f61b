package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// onCubic calls do in a network namespace of its own, whose loopback connections use cubic, whatever
// the system's congestion control is: the routes name it, which changes nothing outside. The processes
// that do starts are in the namespace, too. Without the right to make one, `unshare -rn` gives it.
func onCubic(ctx context.Context, do func() error) error {
	ended := make(chan error)
	go func() {
		// Namespaces belong to threads. This one ends with the goroutine, as it is never unlocked.
		runtime.LockOSThread()
		err := enterCubic(ctx)
		if err == nil {
			err = do()
		}
		ended <- err
	}()
	return <-ended
}

func enterCubic(ctx context.Context) error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("make a network namespace: %w; run this as root, or under unshare -rn", err)
	}
	for _, command := range []string{
		"link set lo up",
		"route replace local 127.0.0.0/8 dev lo table local congctl cubic",
		"route del local 127.0.0.1 dev lo table local", // it would come first
	} {
		if out, err := exec.CommandContext(ctx, "ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", command, err, out)
		}
	}
	return nil
}
