package tens

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"unsafe"
)

// write writes integers from 0 to 20, seeded, and returns how many of them are tens.
func write(ctx context.Context, path string, bytes int64) (answer string, err error) {
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	random := rand.New(rand.NewPCG(10, 20))
	integers := make([]int32, bufferBytes/valueBytes)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&integers[0])), bufferBytes)
	tens := int64(0)
	for left := max(bytes/valueBytes, 1) * valueBytes; left > 0; left -= int64(len(b)) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		b = b[:min(int64(len(b)), left)]
		for i := range integers[:len(b)/valueBytes] {
			integers[i] = random.Int32N(21)
			if integers[i] == ten {
				tens++
			}
		}
		if _, err := f.Write(b); err != nil {
			return "", fmt.Errorf("write %s: %w", path, err)
		}
	}
	return strconv.FormatInt(tens, 10), f.Sync()
}
