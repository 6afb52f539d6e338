package build

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/schemas"
)

// micro writes millionths of a dollar as a JSON number, in one of its spellings.
func micro(n int64, spelling int) string {
	switch spelling % 3 {
	case 0:
		return fmt.Sprintf("%d.%06d", n/1e6, n%1e6)
	case 1:
		return fmt.Sprintf("%de-6", n)
	default:
		return fmt.Sprintf("%d.%06d00E+0", n/1e6, n%1e6)
	}
}

// relay hands a task over once for each cost in millionths of a dollar, and fails if the last
// budget is wrong.
func relay(t rapid.TB, budget int64, costs []int64) {
	var parent *message.Message
	var spent int64
	for i, cost := range costs {
		given := ""
		if parent == nil {
			given = `"budgetUSD":` + micro(budget, 1) + `,`
		}
		state, err := jsonstream.Parse(jsonstream.NewRaw(fmt.Appendf(nil,
			`{"taskDescription":"d","cost":{"costUSD":%s,%s"tokens":{"prompt":%d,"completion":0}}}`, micro(cost, i), given, i)), jsonstream.Unlimited())
		if err != nil {
			t.Fatal(err)
		}
		parent, err = Message(state, Options{Parent: parent, AllowExhausted: true})
		if err != nil {
			t.Fatal(err)
		}
		spent += cost
	}
	n := int64(len(costs))
	fields, err := parent.Fields()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		got  message.Number
		want int64
	}{
		{"spent", fields.CostTracking.CostSpentSoFarUSD, spent},
		{"remaining", fields.CostTracking.CostBudgetRemainingUSD, budget - spent},
		{"tokens", fields.CostTracking.TokenSpent.Prompt, n * (n - 1) / 2 * 1e6},
	} {
		got, err := c.got.Decimal()
		if err != nil {
			t.Fatal(err)
		}
		if !got.Equal(message.NewDecimal(c.want, 6)) {
			t.Errorf("%s after %d handoffs: got %s, want %d millionths", c.what, n, c.got, c.want)
		}
	}
}

// Section 9, budget relay: after 10,000 handoffs the budget is exact.
func TestBudgetRelayDoesNotDrift(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	costs := make([]int64, 10_000)
	for i := range costs {
		costs[i] = random.Int64N(5_000_000)
	}
	relay(t, 30_000_000_000, costs)
}

func TestBudgetRelayIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		relay(t, rapid.Int64Range(0, 1e12).Draw(t, "budget"), rapid.SliceOfN(rapid.Int64Range(0, 1e10), 1, 20).Draw(t, "costs"))
	})
}

// value draws a JSON text that re-encoding would change: in the spelling of numbers, in escapes or
// in the order of members.
func value(t *rapid.T, depth int) string {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]string{"9007199254740993", "1e400", "0.10", "-0", "1E+2", "1.0"}).Draw(t, "number")
	case 1:
		return rapid.SampledFrom([]string{`"\u0041"`, `"\/"`, `"<é>"`, `"\ud83d\ude00"`, `"\u0000"`, `"a b"`}).Draw(t, "string")
	case 2:
		return "null"
	case 3:
		return "true"
	case 4:
		return "[" + strings.Join(values(t, depth-1, ""), ",") + "]"
	default:
		return "{" + strings.Join(values(t, depth-1, `"m%d":`), ",") + "}"
	}
}

func values(t *rapid.T, depth int, prefix string) []string {
	names := rapid.SliceOfNDistinct(rapid.IntRange(0, 99), 0, 4, rapid.ID[int]).Draw(t, "members")
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = value(t, depth)
		if prefix != "" {
			list[i] = fmt.Sprintf(prefix, n) + list[i]
		}
	}
	return list
}

// TestStatePassesByteForByte draws states, builds their messages, and reads them again.
func TestStatePassesByteForByte(t *testing.T) {
	copied := []string{"receiverList", "completedSubtasks", "remainingSubtasks", "currentState", "relevantContext",
		"conversationHistorySummary", "conversationHistoryVerbatim", "personalDataPayload", "extensions", "taskDescription"}
	rapid.Check(t, func(t *rapid.T) {
		members := map[string]string{
			"taskDescription":   `"\u0064 \/"`,
			"completedSubtasks": `[{"result":` + value(t, 3) + `,"subtaskId":"s"}]`,
		}
		for _, name := range copied {
			if members[name] == "" && rapid.Bool().Draw(t, name) {
				members[name] = value(t, 3)
			}
		}
		var text strings.Builder
		text.WriteString(`{"cost":{"costUSD":0,"budgetUSD":1,"tokens":{"prompt":0,"completion":0}}`)
		if left := members["remainingSubtasks"]; left != "" {
			members["remainingSubtasks"] = "[" + left + "]"
		}
		for _, name := range copied {
			if v := members[name]; v != "" {
				fmt.Fprintf(&text, ",%q:%s", name, v)
			}
		}
		state, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text.String()+"}")), jsonstream.Unlimited())
		if err != nil {
			t.Fatal(err)
		}
		m, err := Message(state, Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := message.NewDecoder(bytes.NewReader(m.Raw()), message.Options{}).Decode()
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range members {
			if got := string(again.Root().Get(name).Raw()); got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
	})
}

// FuzzMessage builds from documents of any shape: it never panics, and every message is one line
// that can be read again.
func FuzzMessage(f *testing.F) {
	state, err := schemas.Example("state")
	if err != nil {
		f.Fatal(err)
	}
	sent, err := schemas.Example("message")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(state, []byte(nil), "", []byte(nil))
	f.Add([]byte(minimal), []byte(nil), "/currentState/a", []byte("1"))
	f.Add([]byte(later), sent, "/constraints/-", []byte(`"c"`))
	f.Add([]byte(`{"toolCalls":[{"input":1e400}],"constraints":[1],"cost":[]}`), []byte(parent), "", []byte(`{}`))
	f.Fuzz(func(t *testing.T, state, parent []byte, pointer string, value []byte) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(state), jsonstream.Limits{})
		if err != nil {
			return
		}
		o := Options{AllowExhausted: true}
		if o.Parent, err = message.Parse(parent, message.Options{}); err != nil {
			o.Parent = nil
		}
		if value != nil {
			o.Set = []Override{{pointer, value}}
		}
		m, err := Message(doc, o)
		if err != nil {
			return
		}
		if bytes.ContainsAny(m.Raw(), "\n\r") {
			t.Errorf("more than one line: %q", m.Raw())
		}
		if _, err := message.Parse(m.Raw(), message.Options{Limits: jsonstream.Unlimited()}); err != nil {
			t.Errorf("does not read back: %v: %q", err, m.Raw())
		}
	})
}
