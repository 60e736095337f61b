package fixed

import "os"

type limited struct { // want `Write of limited is bypassed`
	*os.File
	left int
}

func (r *limited) Write(p []byte) (int, error) {
	r.left -= len(p)
	return r.File.Write(p)
}
