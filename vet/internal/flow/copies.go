package flow

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/method"
	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// copiers says which arguments of a function are the destination and the source.
var copiers = map[string]struct{ dst, src int }{
	"io.Copy":               {0, 1},
	"io.CopyN":              {0, 1},
	"io.CopyBuffer":         {0, 1},
	"net/http.ServeContent": {0, 4},
}

// copiesOf returns the calls of functions that copy.
func copiesOf(funcs []*ssa.Function) []Copy {
	var found []Copy
	for _, f := range funcs {
		for call := range CallsIn(f) {
			if c, ok := copyOf(call); ok {
				found = append(found, c)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Copy) int { return cmp.Compare(a.Call.Pos(), b.Call.Pos()) })
	return found
}

func copyOf(call ssa.CallInstruction) (Copy, bool) {
	common := call.Common()
	callee := calleeOf(common)
	if callee == nil {
		return Copy{}, false
	}
	name := shape.FullName(callee)
	if c, ok := copiers[name]; ok {
		return Copy{call, name, common.Args[c.dst], common.Args[c.src]}, true
	}
	if !method.Copies(callee) {
		return Copy{}, false
	}
	recv, arg := common.Value, common.Args[0]
	if !common.IsInvoke() {
		recv, arg = common.Args[0], common.Args[1]
	}
	if callee.Name() == "WriteTo" {
		recv, arg = arg, recv
	}
	return Copy{call, name, recv, arg}, true
}

// calleeOf returns the function or method that a call names, of a generic one its origin; nil if the call
// is of a function value.
func calleeOf(common *ssa.CallCommon) *types.Func {
	if common.IsInvoke() {
		return common.Method
	}
	callee := common.StaticCallee()
	if callee == nil {
		return nil
	}
	f, ok := callee.Object().(*types.Func)
	if !ok {
		return nil
	}
	if _, bound := common.Value.(*ssa.MakeClosure); bound {
		return nil // a method value, whose receiver is not among the arguments
	}
	return f.Origin()
}
