// Channel streams hits into a channel that a slow reader takes them from; the search waits for it: channel EXPR FILE.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
)

func main() {
	in, err := thresh.Open(os.Args[2])
	query, queryErr := thresh.Regexp(os.Args[1])
	if err = errors.Join(err, queryErr); err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	hits := make(chan answer.Hit, 16)
	go func() {
		defer close(hits)
		for h, err := range thresh.Hits(context.Background(), in, query, options.Find{}) {
			if err != nil {
				log.Fatal(err)
			}
			hits <- h // waits while the reader is busy, and so does the search
		}
	}()
	for h := range hits {
		fmt.Println(h.Off, h.Len)
	}
}
