package donations

import (
	"bufio"
	"fmt"
	"os"
)

// ReadBytes reads lines without making strings of them. The article reports 2.39 seconds and nothing
// allocated, and takes it for where the wall might be broken.
func ReadBytes(path string) (Answer, error) {
	f, err := os.Open(path)
	if err != nil {
		return Answer{}, err
	}
	defer f.Close() // nothing was written
	var a Answer
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		_ = scanner.Bytes()
		a.Lines++
	}
	if err := scanner.Err(); err != nil {
		return Answer{}, fmt.Errorf("read %s: %w", path, err)
	}
	return a, nil
}
