package relay

import (
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/python"
)

// TestMetricsHaveTypes gives the metrics to the parser of Prometheus' client for Python. Each has a type, and each of
// ours a help text.
func TestMetricsHaveTypes(t *testing.T) {
	r, err := New("127.0.0.1:1", Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r.Metrics().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	cmd := exec.Command(python.Interpreter(t, "prometheus_client"), "-c", `
import sys
from prometheus_client.parser import text_string_to_metric_families as parse
families = list(parse(sys.stdin.read()))
names = [(f.name, f.type) for f in families]
assert len(names) == len(set(names)) and names, names
for f in families:
    assert f.type in ("counter", "gauge", "histogram", "summary") and f.samples, f
    assert f.documentation or not f.name.startswith("thresh_"), f
    for s in f.samples:
        assert f.type != "counter" or s.name.endswith("_total"), s
        assert f.type != "gauge" or not s.name.endswith(("_total", "_bucket")), s
print(*sorted(f.type for f in families if f.name in ("thresh_relay_connections", "thresh_relay_connections_open")))`)
	cmd.Stdin = w.Body
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "counter gauge\n" {
		t.Errorf("%v: %s", err, out)
	}
}
