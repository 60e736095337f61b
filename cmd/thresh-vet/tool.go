package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/thresh-dev/thresh/vet"
)

// asTool reports whether args are those with which go vet calls its tool, and does as it asks then:
// -V=full, -flags, or a file that describes a package. It returns after -V=full and -flags only where
// unitchecker does.
func asTool(args []string) bool {
	asks := slices.Contains(args, "-V=full") || slices.Contains(args, "-flags")
	config := ""
	if len(args) > 0 && strings.HasSuffix(args[len(args)-1], ".cfg") {
		config = args[len(args)-1]
	}
	switch {
	case config != "" && onlyFacts(config):
		// Otherwise unitchecker would run each rule that needs facts on all dependencies.
		unitchecker.Run(config, vet.Facts())
	case asks || config != "":
		unitchecker.Main(vet.All()...)
	default:
		return false
	}
	return true
}

// onlyFacts reports whether go vet asks about a dependency, of which nothing is reported. What is wrong
// with the file unitchecker says.
func onlyFacts(config string) bool {
	text, err := os.ReadFile(config)
	if err != nil {
		return false
	}
	var c unitchecker.Config
	return json.Unmarshal(text, &c) == nil && c.VetxOnly
}
