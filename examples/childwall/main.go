// Childwall runs a command and says what held it back: childwall COMMAND [ARGUMENT...].
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/thresh-dev/thresh/wall"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	report, err := wall.Run(context.Background(), cmd, wall.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %s\n", report.Wall, report.Sentence)
}
