package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestDerive: names of types, methods, functions and constants follow the width and the vector; what
// does not fill a vector, or is of another width, does not.
func TestDerive(t *testing.T) {
	const source = `package p

//gen:also add16AVX512 add64AVX2 add8NEON
func add32AVX512(b []byte, bias uint32) uint64 {
	v := archsimd.LoadUint32x16Array((*[16]uint32)(b[bytesAVX512:])).ReshapeToUint8s()
	half, word := archsimd.Uint32x4{}, [2]uint32{}
	return sum32AVX512(v, width32, uint64(bias), archsimd.Uint64x8{}.BitsToInt64()) + v.BitsToInt32()
}
`
	const want = `
func add16AVX512(b []byte, bias uint16) uint64 {
	v := archsimd.LoadUint16x32Array((*[32]uint16)(b[bytesAVX512:])).ReshapeToUint8s()
	half, word := archsimd.Uint32x4{}, [2]uint16{}
	return sum16AVX512(v, width16, uint64(bias), archsimd.Uint64x8{}.BitsToInt64()) + v.BitsToInt16()
}

func add64AVX2(b []byte, bias uint64) uint64 {
	v := archsimd.LoadUint64x4Array((*[4]uint64)(b[bytesAVX2:])).ReshapeToUint8s()
	half, word := archsimd.Uint32x4{}, [2]uint64{}
	return sum64AVX2(v, width64, uint64(bias), archsimd.Uint64x4{}.BitsToInt64()) + v.BitsToInt64()
}
`
	derive := func(source string) (string, error) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "source.go", source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		return derived(set, file, source, &amd64)
	}
	if got, err := derive(source); err != nil || got != want {
		t.Errorf("%v, derived:\n%s", err, got)
	}
	for _, name := range []string{"sub16AVX512", "addAVX2", "add16SVE", "add24AVX2"} {
		_, err := derive(strings.Replace(source, "add16AVX512", name, 1))
		if err == nil || !strings.Contains(err.Error(), "source.go:3:1: "+name+" cannot be made from add32AVX512") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
