package handed

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// reporter reports what list finds: "*counter to io.Copy, own".
func reporter(name string, list func(*analysis.Pass, *shape.Shapes) []Handing) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: name, Doc: "report what is handed on", Requires: []*analysis.Analyzer{shape.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, h := range list(pass, pass.ResultOf[shape.Analyzer].(*shape.Shapes)) {
				text := h.Name + " to " + h.To
				if h.Own {
					text += ", own"
				}
				if h.Wrapper == nil {
					text += ", no wrapper"
				}
				pass.Report(analysis.Diagnostic{Pos: h.Pos, Message: text})
			}
			return nil, nil
		},
	}
}

// The comments in testdata say what is handed on in their lines; where there is none, nothing is.
func TestResponses(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), reporter("responses", Responses), "responses")
}

func TestAccepted(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), reporter("accepted", Accepted), "conns")
}
