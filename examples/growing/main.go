// Growing prints matches in logs as they grow, with progress, until it is interrupted: growing TEXT FILE...
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/options"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	query, err := thresh.Text(os.Args[1])
	seen, done := make([]int64, len(os.Args)), new(atomic.Int64) // bytes of each file, and of all
	for i := 2; err == nil; i = max((i+1)%len(os.Args), 2) {
		seen[i], err = follow(ctx, os.Args[i], query, options.Find{Run: options.Run{Progress: done}, Offset: seen[i]})
		time.Sleep(20 * time.Millisecond)
	}
	log.Print(err)
}

// follow searches what a file has got since it was searched last, and returns its size.
func follow(ctx context.Context, name string, q *thresh.Query, o options.Find) (size int64, err error) {
	in, err := thresh.Open(name, thresh.Raw)
	for hit, hitErr := range thresh.Hits(ctx, in, q, o) {
		if err = errors.Join(err, hitErr); hitErr == nil {
			fmt.Printf("%s at %d, after %d bytes\n", name, hit.Off, o.Progress.Load())
		}
	}
	size, _ = in.Bytes()
	return size, errors.Join(err, ctx.Err(), in.Close())
}
