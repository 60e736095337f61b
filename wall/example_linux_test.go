package wall_test

import (
	"context"
	"fmt"
	"log"
	"os/exec"

	"github.com/thresh-dev/thresh/wall"
)

// What a command waited for. Print the report itself for one line of text.
func Example() {
	report, err := wall.Run(context.Background(), exec.Command("sleep", "0.5"), wall.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Wall)
	// Output: sleeping
}
