package main

// entry is where make build has the program begin, by the linker's flag -E.
//
//lint:ignore U1000 the linker uses it
func entry()
