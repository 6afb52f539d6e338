package convert

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// many returns a message of a format with many turns or members.
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
	case "carried": // carried by all other formats
		message := tree.Of(parsed(t, sample(t, f)))
		if message.Is(jsonstream.Array) {
			return message.Set("/0/further", object).Compact()
		}
		return message.With("further", object).Compact()
	}
	if f == format.EAAPL {
		return canonical.Compact()
	}
	bare, _, _ := strip(sideOf(f), tree.Of(parsed(t, result(t, canonical.Compact(), f, Options{}).Text)), sideOf(format.EAAPL))
	return bare.Compact()
}

// TestMemory bounds the total allocation of a conversion by the length of its source, also for the
// shapes with the most values per byte, and for the conversion back.
func TestMemory(t *testing.T) {
	if tier.UnderRace {
		t.Skip("the race detector allocates, too")
	}
	shapes := []string{"turns", "members", "carried"}
	for s, shape := range shapes {
		pair := 0
		eachPair(t, func(t *testing.T, from, to format.Format) {
			costliest := from == format.EAAPL && to == format.OpenCode // more than twice as much as any other
			if pair++; !tier.Full() && !costliest && pair%len(shapes) != s {
				t.Skipf("another shape is measured for this pair: set %s to measure all", tier.Variable)
			}
			limit := maxAllocated(shape, from, to)
			var there, back [2]float64
			for i, count := range []int{tier.Count(3_000, 5_000), tier.Count(6_000, 10_000)} {
				source := many(t, from, shape, count)
				text, bytes := allocated(t, source, from, to)
				there[i] = bytes
				_, back[i] = allocated(t, text, to, from)
			}
			for way, rates := range map[string][2]float64{"there": there, "back": back} {
				if rates[1] > limit {
					t.Errorf("%s, %s: %.1f bytes allocated for each of the source, want at most %.0f", shape, way, rates[1], limit)
				}
				if rates[1] > 1.3*rates[0]+1 { // one more, because the collector may empty pools at any time
					t.Errorf("%s, %s: %.1f bytes allocated for each of the source, and %.1f if it is twice as long", shape, way, rates[0], rates[1])
				}
			}
			t.Logf("%s: %.1f, back %.1f", shape, there[1], back[1])
		})
	}
}

// maxAllocated returns the maximum number of allocated bytes per byte of the source.
func maxAllocated(shape string, from, to format.Format) float64 {
	switch {
	case formats.Named(from).IsLines() || formats.Named(to).IsLines():
		// The shortest turn becomes two lines with its text, time and author: ten times its
		// length, and as much again if it is carried.
		return 240
	case isFramework(from) || isFramework(to), from == format.OpenCode || to == format.OpenCode:
		// A turn of 35 bytes is a message with a list of parts, each of which has its kind, tool and time. A
		// long text is written within two more levels. OpenCode's folder is looked up in the state.
		if shape == "turns" {
			return 240
		}
		return 35
	case shape == "turns" && (from == format.A2A || to == format.A2A):
		// As below; in addition, each message of 120 bytes gets a reported identifier of 36 characters.
		return 220
	case shape == "turns" && (isChat(from) || isChat(to)):
		// A turn has 35 bytes. If it is nested in other objects and lists, or has other names, it is
		// built four times with up to 600 bytes each: in both directions, and once for comparison.
		return 100
	}
	return 12
}

// isFramework reports whether a format is that of an agent framework whose messages have nested parts.
func isFramework(f format.Format) bool { return f == "pydantic-ai" || f == "agent-framework" }

// allocated converts a message and returns the number of allocated bytes per byte of the source.
func allocated(t *testing.T, source []byte, from, to format.Format) ([]byte, float64) {
	t.Helper()
	doc := parsedIn(t, source, from)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Convert(doc, to, Options{From: from})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	length := len(source)
	if formats.Named(to).IsLines() {
		length = max(length, len(r.Text)) // a line is much longer than a short turn
	}
	return r.Text, float64(after.TotalAlloc-before.TotalAlloc) / float64(length)
}
