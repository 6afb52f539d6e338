package diff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

var vocabulary = strings.Fields(`the a of to and in that for with on as by from is was are be it this which has have
	contract clause liability vendor payment risk review customer request analysis result indemnity unlimited standard
	summary ticket refund invoice database query latency deploy rollback schema agent handoff budget token prompt
	completion extracted section page scoring medium high low flagged noted industry obligations pursuant termination
	notice days party agreement data approved pending region quarter revenue forecast overdue escalation owner`)

// turns returns conversation turns of about 450 bytes each.
func turns(r *rand.Rand, n int) []string {
	list := make([]string, n)
	for i := range list {
		words := make([]string, 50)
		for k := range words {
			words[k] = vocabulary[r.IntN(len(vocabulary))]
		}
		list[i] = fmt.Sprintf(`{"role":%q,"content":%q,"timestamp":"2026-06-%02dT%02d:%02d:%02d.%03dZ"}`,
			[]string{"user", "assistant"}[r.IntN(2)], strings.Join(words, " "),
			1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000))
	}
	return list
}

func withTurns(turns []string) string {
	return `{"handoffId":"h-1","conversationHistoryVerbatim":[` + strings.Join(turns, ",") + `],"constraints":[]}`
}

// pairs are pairs of documents that are costly to compare, each for its own reason.
var pairs = []struct {
	name      string
	make      func(r *rand.Rand) (a, b string)
	maxLeaves int // leaves of the edits
}{
	{name: "20000 turns, 20 changed, one inserted", maxLeaves: 21, make: func(r *rand.Rand) (string, string) {
		a := turns(r, 20_000)
		b := append(append(append([]string{}, a[:7000]...), turns(r, 1)...), a[7000:]...)
		for i := range 20 {
			b[500+i*900] = strings.Replace(b[500+i*900], " ", " indeed ", 1)
		}
		return withTurns(a), withTurns(b)
	}},
	{name: "20000 turns, all different", maxLeaves: 40_000, make: func(r *rand.Rand) (string, string) {
		return withTurns(turns(r, 20_000)), withTurns(turns(r, 20_000))
	}},
	{name: "20000 turns, all changed a little", maxLeaves: 20_000, make: func(r *rand.Rand) (string, string) {
		a := turns(r, 20_000)
		b := append([]string{}, a...)
		for i := range b {
			b[i] = strings.Replace(b[i], " ", " indeed ", 1)
		}
		return withTurns(a), withTurns(b)
	}},
	{name: "20000 turns, shuffled", maxLeaves: 20_000, make: func(r *rand.Rand) (string, string) {
		a := turns(r, 20_000)
		b := append([]string{}, a...)
		r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		return withTurns(a), withTurns(b)
	}},
	{name: "20000 turns, shuffled and changed a little", maxLeaves: 40_000, make: func(r *rand.Rand) (string, string) {
		a := turns(r, 20_000)
		b := append([]string{}, a...)
		for i := range b {
			b[i] = strings.Replace(b[i], " ", " indeed ", 1)
		}
		r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		return withTurns(a), withTurns(b)
	}},
	{name: "500000 numbers, all different", maxLeaves: 500_001, make: func(r *rand.Rand) (string, string) {
		return fmt.Sprint("[1", strings.Repeat(",1", 500_000), "]"), fmt.Sprint("[2", strings.Repeat(",2", 500_000), "]")
	}},
	{name: "500000 of two numbers", maxLeaves: 1_000_000, make: func(r *rand.Rand) (string, string) { return bits(r, 500_000), bits(r, 500_000) }},
	{name: "300000 small objects, all different", maxLeaves: 600_000, make: func(r *rand.Rand) (string, string) {
		return objects(r, 300_000), objects(r, 300_000)
	}},
	{name: "100000 rows, all different", maxLeaves: 200_000, make: func(r *rand.Rand) (string, string) {
		return "[" + strings.Repeat(`[{"x":1,"y":"p"},{"x":2}],`, 100_000) + "0]", "[" + strings.Repeat(`[{"z":3},{"x":1,"y":"q"}],`, 100_000) + "0]"
	}},
	{name: "arrays in arrays", maxLeaves: 100_000, make: func(r *rand.Rand) (string, string) { return nested(400, "1"), nested(400, "2") }},
}

func bits(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, ",%d", r.IntN(2))
	}
	return "[0" + b.String() + "]"
}

func objects(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, `,{"k":%d}`, r.IntN(1<<30))
	}
	return "[0" + b.String() + "]"
}

// nested returns arrays in arrays whose elements differ on each level, and whose last one
// differs from that of another only at its end.
func nested(depth int, end string) string {
	inner := "[" + strings.Repeat(`"some text",`, 20_000) + end + "]"
	for i := range depth {
		inner = fmt.Sprintf("[%d,%s,%s%d]", i, inner, end, i)
	}
	return inner
}

func parse(t interface{ Fatal(...any) }, text string) *jsonstream.Document {
	d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func count(e *diff.Edit) (n int) {
	for range e.Leaves() {
		n++
	}
	return n
}

func TestChangedTurnsOfALongHistory(t *testing.T) {
	a, b := pairs[0].make(rand.New(rand.NewPCG(1, 2)))
	e := diff.Compare(parse(t, a), parse(t, b), diff.Options{})
	kinds := map[diff.Kind]int{}
	for leaf := range e.Leaves() {
		kinds[leaf.Kind]++
	}
	if kinds[diff.Changed] != 20 || kinds[diff.Added] != 1 || len(kinds) != 2 {
		t.Errorf("got %v, want 20 changed and one added", kinds)
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, p := range pairs {
		old, new := p.make(rand.New(rand.NewPCG(1, 2)))
		x, y := parse(b, old), parse(b, new)
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(old) + len(new)))
			n := 0
			for b.Loop() {
				n = count(diff.Compare(x, y, diff.Options{}))
			}
			if n > p.maxLeaves {
				b.Errorf("%d leaves, want at most %d", n, p.maxLeaves)
			}
			b.ReportMetric(float64(n), "leaves")
		})
	}
}
