// Object counts the lines of an object, with somebody's own client and keys: object ENDPOINT s3://BUCKET/KEY.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/remote"
)

func main() {
	ctx := context.Background()
	client := remote.New(remote.Options{
		S3Endpoint: os.Args[1],
		HTTPClient: &http.Client{Transport: http.DefaultTransport}, // yours, with its proxies and certificates
		Credentials: func(context.Context) (remote.AccessKey, error) { // or what your SDK returns
			return remote.AccessKey{ID: os.Getenv("ID"), Secret: os.Getenv("SECRET")}, nil
		},
	})
	defer client.Close()
	in, err := client.Open(ctx, os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	report, err := thresh.Count(ctx, in, thresh.LineCount(), options.Scan{})
	if err != nil || !report.Complete {
		log.Fatal(err, report.Unread)
	}
	fmt.Println(report.Hits, "lines")
}
