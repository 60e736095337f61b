package wallreport

import (
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/wall"
)

// example is a report of a command in two phases, whose name means something in HTML.
func example() wall.Report {
	slot := func(from float64, w wall.Wall, e wall.Evidence) wall.Slot {
		e.Seconds = 1
		return wall.Slot{From: from, To: from + 1, Wall: w, Evidence: e}
	}
	return wall.Report{
		Verdict: wall.Verdict{Wall: wall.Storage, Sentence: "storage: waited for it 50 % of 4.00 s, at 1.5 GB/s", Share: 0.5},
		Command: []string{"cat", `</h1><script>alert("x")</script>`},
		Began:   time.Unix(1e9, 0), Elapsed: 4 * time.Second, User: 2 * time.Second,
		Walls: []wall.Share{{Wall: wall.Storage, Seconds: 2, Share: 0.5}, {Wall: wall.OneCore, Seconds: 2, Share: 0.5}},
		Phases: []wall.Phase{
			{From: 0, To: 2, Verdict: wall.Verdict{Wall: wall.Storage, Sentence: "storage: a"}},
			{From: 2, To: 4, Verdict: wall.Verdict{Wall: wall.OneCore, Sentence: "one core: b"}},
		},
		Timeline: []wall.Slot{
			slot(0, wall.Storage, wall.Evidence{OnStorage: 1, ReadStorage: 3e9, ReadChars: 3e9, ProcessesMax: 1, ThreadsMax: 1}),
			slot(1, wall.Storage, wall.Evidence{OnStorage: 1, ReadStorage: 1e9, ReadChars: 1e9, ProcessesMax: 1, ThreadsMax: 1}),
			slot(2, wall.OneCore, wall.Evidence{Running: 1, User: 1, ProcessesMax: 1, ThreadsMax: 1}),
			slot(3, wall.OneCore, wall.Evidence{Running: 1, User: 1, ProcessesMax: 1, ThreadsMax: 1,
				Connections: map[string]float64{"a <b> to send": 0.25, "b": 0.2, "c": 0.1, "d": 0.1, "e": 0.05, "f": 0.02}}),
		},
		Machine: wall.Machine{System: "Linux", CPUs: 2, QuotaCPUs: 1.5},
		Evidence: wall.Evidence{Seconds: 4, Running: 2, OnStorage: 2, User: 2, ReadStorage: 4e9,
			Connections: map[string]float64{"a <b> to send": 0.25, "b": 0.2, "c": 0.1, "d": 0.1, "e": 0.05, "f": 0.02}},
		Missing: []string{"memory pressure: not supported"},
	}
}

func TestHTML(t *testing.T) {
	page, err := HTML(example())
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{
		"<p class=\"verdict\">storage: waited for it 50 % of 4.00 s, at 1.5 GB/s</p>",
		"cat &lt;/h1&gt;&lt;script&gt;",
		`<span class="fill storage" style="left:0.00%;width:50.00%"`, `<span class="fill one-core" style="left:50.00%;width:50.00%"`,
		// Reads: the first slot is as high as the chart, the second a third, the others nothing.
		`d="M0.0 0.0H250.0L250.0 106.7H500.0L500.0 160.0H750.0L750.0 160.0H1000.0L1000.0 160.0H750.0L750.0 160.0H500.0L500.0 160.0H250.0L250.0 160.0H0.0Z"`,
		// Connections: a quarter of the last second for the first, and the last two together.
		"a &lt;b&gt; to send", `d="M0.0 160.0H250.0L250.0 160.0H500.0L500.0 160.0H750.0L750.0 120.0H1000.0`, "2 more</span>",
		"<dt>Quota</dt><dd>1.5 processors", "<li>memory pressure: not supported</li>", "3 GB",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, unwanted := range []string{"<script", "http://", "https://", "ZgotmplZ", "NaN", "sleeping</span>", "<b> to send"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("the page has %s", unwanted)
		}
	}
	for _, w := range []wall.Wall{wall.Storage, wall.OneCore, wall.AllCores, wall.Memory, wall.PageFaults, wall.SystemCalls, wall.Processes,
		wall.Lock, wall.Input, wall.Output, wall.Network, wall.Sleeping, wall.Quota, wall.OtherPrograms, wall.Stopped, wall.Unknown} {
		if !strings.Contains(style, "\n."+class(w)+" {") {
			t.Errorf("%s has no colour", w)
		}
	}
	// A run too short for a sample.
	if _, err := HTML(wall.Report{Verdict: wall.Verdict{Wall: wall.Unknown}}); err != nil {
		t.Error(err)
	}
}
