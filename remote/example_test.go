package remote_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/remote"
)

// The lines of an object of an HTTP server. An object of a store is named "s3://bucket/key".
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "one\ntwo\n")
	}))
	defer server.Close()

	client := remote.New(remote.Options{})
	defer client.Close()
	in, err := client.Open(context.Background(), server.URL+"/lines.txt")
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	report, err := thresh.Count(context.Background(), in, thresh.LineCount(), options.Scan{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Hits)
	// Output: 2
}
