package probe_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/eaapl/handoff/relay/probe"
)

func TestCompare(t *testing.T) {
	asked := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		name      string
		says      time.Duration // after asked
		took      time.Duration
		precision time.Duration
		ahead     time.Duration
		differs   bool // more than a second
	}{
		{name: "the same", says: 50 * time.Millisecond, took: 100 * time.Millisecond},
		{name: "ahead", says: time.Hour, took: 2 * time.Second, ahead: time.Hour - time.Second, differs: true},
		{name: "behind", says: -time.Hour, took: 0, ahead: -time.Hour, differs: true},
		{name: "less than a slow answer can tell", says: 5 * time.Second, took: 8 * time.Second, ahead: time.Second},
		{name: "whole seconds", says: 0, precision: time.Second, ahead: 500 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := probe.Compare(asked.Add(tt.says), asked, asked.Add(tt.took), tt.precision)
			if c.Ahead != tt.ahead || c.Differs(time.Second) != tt.differs {
				t.Errorf("ahead %v within %v, differs %v; want %v, %v", c.Ahead, c.Within, c.Differs(time.Second), tt.ahead, tt.differs)
			}
		})
	}
}

func ExampleCompare() {
	asked := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := probe.Compare(asked.Add(time.Minute), asked, asked.Add(2*time.Second), 0)
	fmt.Println(c.Ahead, "within", c.Within, c.Differs(5*time.Second))
	// Output: 59s within 1s true
}
