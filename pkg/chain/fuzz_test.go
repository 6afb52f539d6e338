package chain

import (
	"math/rand/v2"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// FuzzRead checks that any JSON can be read, as the parent and as the child.
func FuzzRead(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, task := range [][]object{line(r, 3), fanOut(r, 2)} {
		for _, m := range task {
			f.Add(encode(f, m), encode(f, task[0]))
		}
	}
	f.Add(`{"handoffId":"a","taskId":"t","parentHandoffId":"a","receiverList":[1,{}],"completedSubtasks":[{},{"subtaskId":3}]}`,
		`{"handoffId":"A","taskId":"T","parentHandoffId":"b","costTracking":{"costSpentSoFarUSD":1e999,"tokenSpent":[]},"currentState":[]}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		c := New(Options{})
		count := 0
		for i, text := range []string{a, b, a} {
			d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
			if err != nil {
				continue
			}
			m, err := Read(d, Place{"fuzz", i, 1})
			if err != nil {
				continue
			}
			c.Add(m)
			count++
		}
		seen := 0
		for _, task := range c.Tasks() {
			for n := range task.Nodes() {
				seen++
				for _, f := range n.Findings {
					if f.Line < 1 || f.Message == "" {
						t.Errorf("%+v", f)
					}
				}
			}
		}
		if seen > count || count > 0 && seen == 0 {
			t.Errorf("%d of %d messages are in the trees", seen, count)
		}
	})
}
