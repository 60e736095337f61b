// Package matrix holds generated tests of the whole library: what is asked × how the bytes
// come × what they look like × which range of them × how the work is divided. It has no code
// of its own.
//
// A case is made from a seed, so that a failure can be repeated: the message names the seed
// and the variable to set. Answers are compared with plain loops written from the definitions
// in the documentation, with Go's regexp, encoding/json and math/big, and with Python; never
// with code of the library. The tests also list what the library offers (queries, engines,
// types, formats, aggregates) and fail where something has no square in the matrix.
//
//	THRESH_CASES=1000000 go test ./internal/test/matrix -run TestStreams -timeout 0
//	THRESH_CASES=10m THRESH_SEED=77 go test ./internal/test/matrix -run TestFindAndCount
//
// THRESH_CASES is how many cases each test looks at, or for how long; THRESH_SEED is the seed
// of the first.
package matrix
