package finding

import (
	"go/token"
	"path"
	"strconv"

	"golang.org/x/tools/go/analysis"
)

// Import returns the name by which the file of a position imports a package, and the edit that adds the
// import if it is missing.
func Import(pass *analysis.Pass, p token.Pos, pkg string) (name string, edits []analysis.TextEdit) {
	file := FileOf(pass, p)
	for _, spec := range file.Imports {
		if quoted, err := strconv.Unquote(spec.Path.Value); err != nil || quoted != pkg {
			continue
		}
		switch {
		case spec.Name == nil:
			return path.Base(pkg), nil
		case spec.Name.Name != "_" && spec.Name.Name != ".":
			return spec.Name.Name, nil
		}
	}
	at := file.Name.End()
	text := "\n\nimport " + strconv.Quote(pkg)
	return path.Base(pkg), []analysis.TextEdit{{Pos: at, End: at, NewText: []byte(text)}}
}
