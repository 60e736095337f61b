//go:build !unix

package cluster

import (
	"os"
	"os/exec"
)

// become runs a program in the place of this process, which ends with it.
func become(path string, args, environment []string) error {
	cmd := exec.Command(path, args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = environment, os.Stdout, os.Stderr
	return cmd.Run()
}
