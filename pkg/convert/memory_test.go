package convert

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// many returns a message with many turns or members, as they are written in a format.
func many(t *testing.T, f format.Format, shape string, count int) []byte {
	var turns, members bytes.Buffer
	for i := range count {
		separator := ","
		if i == 0 {
			separator = ""
		}
		fmt.Fprintf(&turns, `%s{"role":"%s","content":"%d"}`, separator, []string{"user", "assistant"}[i%2], i%1000)
		fmt.Fprintf(&members, `%s"k%07d":%d`, separator, i, i%100)
	}
	canonical := tree.Of(parsed(t, sample(t, format.EAAPL)))
	object := tree.Of(parsed(t, []byte("{"+members.String()+"}")))
	switch shape {
	case "turns":
		canonical = canonical.Set(exchange.Turns, tree.Of(parsed(t, []byte("["+turns.String()+"]"))))
	case "members":
		canonical = canonical.Set("/currentState", object)
	case "carried": // by all formats but its own
		return tree.Of(parsed(t, sample(t, f))).With("further", object).Compact()
	}
	if f == format.EAAPL {
		return canonical.Compact()
	}
	bare, _, _ := strip(sideOf(f), tree.Of(parsed(t, result(t, canonical.Compact(), f, Options{}).Text)), sideOf(format.EAAPL))
	return bare.Compact()
}

// TestMemory bounds what a conversion allocates, all in all, by the length of its source:
// also for the shapes that have the most values in a byte, and when converting back.
func TestMemory(t *testing.T) {
	if underRace {
		t.Skip("the race detector allocates, too")
	}
	const limit = 12 // bytes for each of the source
	for _, shape := range []string{"turns", "members", "carried"} {
		eachPair(t, func(t *testing.T, from, to format.Format) {
			var there, back [2]float64
			for i, count := range []int{5_000, 10_000} {
				source := many(t, from, shape, count)
				text, bytes := allocated(t, source, from, to)
				there[i] = bytes
				_, back[i] = allocated(t, text, to, from)
			}
			for way, rates := range map[string][2]float64{"there": there, "back": back} {
				if rates[1] > limit {
					t.Errorf("%s, %s: %.1f bytes allocated for each of the source, want at most %d", shape, way, rates[1], limit)
				}
				if rates[1] > 1.3*rates[0] {
					t.Errorf("%s, %s: %.1f bytes allocated for each of the source, and %.1f if it is twice as long", shape, way, rates[0], rates[1])
				}
			}
			t.Logf("%s: %.1f, back %.1f", shape, there[1], back[1])
		})
	}
}

// allocated converts a message and returns how many bytes it allocates for each of the
// source's.
func allocated(t *testing.T, source []byte, from, to format.Format) ([]byte, float64) {
	t.Helper()
	doc := parsed(t, source)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Convert(doc, to, Options{From: from})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	return r.Text, float64(after.TotalAlloc-before.TotalAlloc) / float64(len(source))
}
