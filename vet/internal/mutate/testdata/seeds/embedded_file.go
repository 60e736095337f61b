// case: tcp <- struct{*os.File}
package seed

import (
	"io"
	"net"
	"os"
)

// blob is an open file with its key.
type blob struct {
	*os.File
	key string
}

func openBlob(key string) (*blob, error) {
	f, err := os.Open("blobs/" + key)
	if err != nil {
		return nil, err
	}
	return &blob{f, key}, nil
}

func sendBlob(c *net.TCPConn, key string) error {
	b, err := openBlob(key)
	if err != nil {
		return err
	}
	defer b.Close()
	_, err = io.Copy(c, b)
	return err
}
