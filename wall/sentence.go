package wall

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
)

// sentence says a verdict for people: the wall, its key number, and what would be gained without it.
func sentence(e *Evidence, v Verdict, m Machine) string {
	return string(v.Wall) + ": " + keyNumber(e, v, m) + gain(v)
}

func keyNumber(e *Evidence, v Verdict, m Machine) string {
	share, whole := percent(v.Share), duration(e.Seconds)
	switch v.Wall {
	case Storage:
		if rate := float64(e.ReadStorage+e.WriteStorage) / max(e.Seconds, 1e-9); rate >= 1e4 {
			return fmt.Sprintf("waited for it %s of %s, at %s/s", share, whole, bytesize.Decimal(rate))
		}
		return fmt.Sprintf("waited for it %s of %s%s", share, whole, e.function())
	case OneCore:
		return oneCore(e, share, whole, m)
	case AllCores:
		return fmt.Sprintf("%s of %s busy for %s of %s%s", number(e.cpus()), numeral.Count(m.CPUs, "processor"),
			share, whole, computing)
	case Memory:
		return fmt.Sprintf("waited %s of %s because too little was free", share, whole)
	case PageFaults:
		faults := e.MinorFaults + e.MajorFaults
		return fmt.Sprintf("%s in %s, and %s of the processor time was spent in the kernel", numeral.Grouped(faults),
			whole, percent(e.System/max(e.User+e.System, 1e-9)))
	case SystemCalls:
		return systemCalls(e, whole)
	case Processes:
		each := duration(e.Running / float64(max(e.Forks, 1)))
		return fmt.Sprintf("up to %s in %s, at least %s each", numeral.Grouped(e.Forks), whole, each)
	case Lock:
		if e.OnLock > e.Turns {
			return fmt.Sprintf("waited for it %s of %s%s", share, whole, e.function())
		}
		return fmt.Sprintf("threads took turns %s of %s: %s of %s were busy", share, whole, number(e.cpus()),
			numeral.Count(m.CPUs, "processor"))
	case Input:
		return fmt.Sprintf("waited for its writer %s of %s", share, whole)
	case Output:
		return fmt.Sprintf("waited for its reader %s of %s", share, whole)
	case Network:
		what := longestOf(e.Connections)
		if what == "" {
			what = "it, or for the program at its other end,"
		}
		return fmt.Sprintf("waited for %s %s of %s", what, share, whole)
	case Sleeping:
		return fmt.Sprintf("%s of %s", share, whole)
	case Quota:
		if m.QuotaCPUs > 0 {
			return fmt.Sprintf("a control group allows %s of %s, and stopped it %s in %s", number(m.QuotaCPUs),
				numeral.Count(m.CPUs, "processor"), duration(e.Throttled), whole)
		}
		return fmt.Sprintf("a control group stopped it %s in %s", duration(e.Throttled), whole)
	case OtherPrograms:
		return fmt.Sprintf("they used %s of %s, and it waited %s for a processor in %s",
			number(e.OtherCPU/max(e.Seconds, 1e-9)), numeral.Count(m.CPUs, "processor"), duration(e.queue()), whole)
	case Stopped:
		return fmt.Sprintf("by a signal or a debugger, %s of %s", share, whole)
	}
	return fmt.Sprintf("what it waited for %s of %s is not known%s", share, whole, e.function())
}

// computing is what a busy processor does, as far as it can be seen.
const computing = " (computing, or waiting for memory)"

func oneCore(e *Evidence, share, whole string, m Machine) string {
	ran := max(e.Running, 1e-9)
	busy := min((e.User+e.System)/ran, float64(max(m.CPUs, 1)))
	text := fmt.Sprintf("%s of %s busy for %s of %s", number(busy), numeral.Count(m.CPUs, "processor"), share, whole)
	if system := e.System / max(e.User+e.System, 1e-9); system >= callsSystem {
		moved := float64(max(e.ReadChars, e.WriteChars)) / max(e.Seconds, 1e-9)
		text += fmt.Sprintf(", mostly in the kernel, for reads and writes of %s/s", bytesize.Decimal(moved))
	} else {
		text += computing
	}
	return text
}

func systemCalls(e *Evidence, whole string) string {
	calls := e.ReadCalls + e.WriteCalls
	system := percent(e.System / max(e.User+e.System, 1e-9))
	if float64(calls)*callCost >= copiesShare*e.System {
		return fmt.Sprintf("%s reads and writes of %s on average in %s; %s of the processor time was spent in the kernel",
			numeral.Grouped(calls), bytesize.Decimal(float64(e.ReadChars+e.WriteChars)/float64(max(calls, 1))),
			whole, system)
	}
	return fmt.Sprintf("%s of the processor time in %s was spent in the kernel, not copying",
		system, whole)
}

// gain says what would be gained without the wall.
func gain(v Verdict) string {
	if v.Speedup == 0 || v.Speedup < 1.05 {
		return ""
	}
	text := fmt.Sprintf("; at most %s times as fast", number(v.Speedup))
	switch v.Wall {
	case OneCore:
		text += " on all"
	case Lock:
	default:
		text += " without"
	}
	if v.Next != "" {
		text += ": then " + string(v.Next) + " is next"
	}
	return text
}

// function names the function of the kernel in which the command waited longest.
func (e *Evidence) function() string {
	if len(e.Functions) == 0 {
		return ""
	}
	return " (" + longestOf(e.Functions) + ")"
}

// longestOf returns the name with the most seconds, "" if there is none.
func longestOf(seconds map[string]float64) string {
	if len(seconds) == 0 {
		return ""
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(seconds)), func(a, b string) int {
		return cmp.Compare(seconds[a], seconds[b])
	})
}

// percent returns a share without decimals, and never 100 % for less than all.
func percent(share float64) string {
	p := math.Round(share * 100)
	if share < 1 {
		p = min(p, 99)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// number returns two or three digits.
func number(v float64) string {
	if v >= 10 {
		return fmt.Sprintf("%.0f", v)
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// duration returns seconds with a fitting unit.
func duration(seconds float64) string {
	switch {
	case seconds >= 10:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds >= 1:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds >= 1e-2:
		return fmt.Sprintf("%.0f ms", seconds*1e3)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.1f ms", seconds*1e3)
	}
	return fmt.Sprintf("%.0f µs", seconds*1e6)
}
