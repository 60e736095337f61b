// Lines prints the lines of a log that match, with their numbers and a line of context: lines PATTERN FILE.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/question"
)

func main() {
	in, err := thresh.Open(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	query, err := thresh.NewLineQuery(question.Lines{Patterns: os.Args[1:2]})
	if err != nil {
		log.Fatal(err)
	}
	for line, err := range thresh.Lines(context.Background(), in, query, options.Lines{Before: 1, After: 1}) {
		switch {
		case err != nil:
			log.Fatal(err)
		case line.Kind == answer.LineSelected:
			fmt.Printf("%6d  %s  (%d matches)\n", line.Number, line.Text, len(line.Matches))
		default:
			fmt.Printf("%6d  %s\n", line.Number, line.Text)
		}
	}
}
