package finding

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// directive begins the text of a comment that silences rules, behind // or /*.
const directive = "thresh:ignore"

// ignore is one such comment: //thresh:ignore RULE[,RULE...] reason.
type ignore struct {
	pos, end  token.Pos
	toLineEnd bool // it begins with //
	alone     bool // no code is on its line
	rules     []string
	reason    string
}

func (i *ignore) names(rule string) bool { return slices.Contains(i.rules, rule) }

// line is a line of a file, as positions show it: //line directives count.
type line struct {
	file string
	line int
}

// ignoresOf returns the comments that silence rules, by the lines they cover: their own and, if no code
// is on that line, the one below the group of comments that they belong to. So a comment may be among
// the lines of documentation above a type or function.
func ignoresOf(pass *analysis.Pass) map[line][]*ignore {
	found := map[line][]*ignore{}
	for _, file := range pass.Files {
		var code map[int]bool // lines with code, known once it is needed
		for _, group := range file.Comments {
			for _, c := range group.List {
				i := parse(c)
				if i == nil {
					continue
				}
				if code == nil {
					code = codeLines(pass.Fset, file)
				}
				i.alone = !code[physical(pass.Fset, c.Pos())]
				at := pass.Fset.Position(c.Pos())
				lines := []line{{at.Filename, at.Line}}
				if i.alone {
					end := pass.Fset.Position(group.End() - 1)
					lines = append(lines, line{end.Filename, end.Line + 1})
				}
				for _, l := range lines {
					found[l] = append(found[l], i)
				}
			}
		}
	}
	return found
}

// parse returns what a comment silences, nil if it is none of ours. A second // ends the reason.
func parse(c *ast.Comment) *ignore {
	text := strings.TrimSuffix(c.Text[len("//"):], "*/") // a line may end in that, too
	rest, ok := strings.CutPrefix(text, directive)
	if !ok || rest != "" && !strings.ContainsAny(rest[:1], " \t\r\n") {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "//")
	i := &ignore{pos: c.Pos(), end: c.End(), toLineEnd: c.Text[1] == '/'}
	if words := strings.Fields(rest); len(words) > 0 {
		i.rules = strings.Split(words[0], ",")
		i.reason = strings.Join(words[1:], " ")
	}
	return i
}

// codeLines returns the lines on which a node of the syntax tree begins or ends, as they are in the file.
func codeLines(fset *token.FileSet, file *ast.File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.File: // it ends with its last comment
			lines[physical(fset, n.Pos())] = true
			return true
		}
		lines[physical(fset, n.Pos())] = true
		lines[physical(fset, n.End()-1)] = true
		return true
	})
	return lines
}

// physical returns the line of a position in its file; //line directives don't count.
func physical(fset *token.FileSet, p token.Pos) int { return fset.PositionFor(p, false).Line }

// UnusedIgnore returns an analyzer that reports the comments which silence none of the rules, name none,
// or give no reason. The category of a finding is the rule that it is about, if there is one.
func UnusedIgnore(rules []*analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "unusedignore",
		Doc: "report comments that silence nothing\n\n" +
			"A //" + directive + " RULE reason that no finding needs hides the next one. A comment that names " +
			"no rule of thresh-vet, or gives no reason, is reported, too.",
		URL:      page("unusedignore"),
		Requires: rules,
		Run: func(pass *analysis.Pass) (any, error) {
			reportUnused(pass, rules)
			return nil, nil
		},
	}
}

// reportUnused compares the package's comments with what the rules' results say that they silenced.
func reportUnused(pass *analysis.Pass, rules []*analysis.Analyzer) {
	used := map[string]map[token.Pos]bool{}
	for _, a := range rules {
		used[a.Name] = pass.ResultOf[a].(*Result).Used
	}
	seen := map[token.Pos]bool{}
	for _, list := range ignoresOf(pass) {
		for _, i := range list {
			if seen[i.pos] || generated(FileOf(pass, i.pos)) {
				continue
			}
			seen[i.pos] = true
			reportComment(pass, i, used)
		}
	}
}

// reportComment reports what is wrong with one comment.
func reportComment(pass *analysis.Pass, i *ignore, used map[string]map[token.Pos]bool) {
	report := func(rule, message string, fixes ...analysis.SuggestedFix) {
		pass.Report(analysis.Diagnostic{
			Pos: i.pos, End: i.end, Category: rule, Message: message, URL: page("unusedignore"), SuggestedFixes: fixes,
		})
	}
	if len(i.rules) == 0 {
		report("", "name a rule, and give a reason: //"+directive+" RULE reason")
		return
	}
	if i.reason == "" {
		report("", "give a reason: //"+directive+" "+strings.Join(i.rules, ",")+" reason")
	}
	for _, name := range i.rules {
		switch silenced, ok := used[name]; {
		case !ok:
			report("", "there is no rule "+name+": \"thresh vet --list\" has them all")
		case !silenced[i.pos] && len(i.rules) == 1 && asWritten(pass.Fset, i.pos):
			report(name, "this silences nothing: "+name+" reports nothing here", removal(pass.Fset, i))
		case !silenced[i.pos]:
			report(name, "this silences nothing: "+name+" reports nothing here")
		}
	}
}

// removal returns the fix that removes a comment, and its line if nothing else is on it.
func removal(fset *token.FileSet, i *ignore) analysis.SuggestedFix {
	from, to := i.pos, i.end
	file, at := fset.File(i.pos), physical(fset, i.pos)
	if i.alone && i.toLineEnd && at < file.LineCount() {
		from, to = file.LineStart(at), file.LineStart(at+1)
	}
	return analysis.SuggestedFix{
		Message:   "Remove the comment",
		TextEdits: []analysis.TextEdit{{Pos: from, End: to}},
	}
}
