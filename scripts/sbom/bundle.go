package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bundled returns the npm packages of a script bundle, if the binary embeds it: the folder has the bundle,
// compressed as it is embedded, and the package-lock.json that it was made with. Packages that only make
// the bundle are not in it.
func bundled(folder string, binary []byte) (all []pkg, err error) {
	found, err := filepath.Glob(filepath.Join(folder, "*.min.js.gz"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("%s: want one compressed bundle, there are %d", folder, len(found))
	}
	bundle, err := os.ReadFile(found[0])
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(binary, bundle) {
		return nil, nil
	}
	path := filepath.Join(folder, "package-lock.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License, Integrity string
			Dev                         bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	const modules = "node_modules/"
	for _, place := range slices.Sorted(maps.Keys(lock.Packages)) {
		p := lock.Packages[place]
		name, isModule := strings.CutPrefix(place, modules)
		if !isModule || p.Dev {
			continue
		}
		all = append(all, newPackage("npm", name, p.Version, p.License, p.Integrity))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s names no package of the bundle", path)
	}
	return all, nil
}
