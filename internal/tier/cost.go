package tier

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// A test of the first tier is too slow when it takes more than maxCPU, and more than maxRatio
// times the median of its package.
const (
	maxCPU   = 10 * time.Second
	maxRatio = 20
)

// Run calls [CleanStart], runs the tests of a package, as m.Run does, and returns the exit code. The
// code is 1 if a test of the first tier took too much CPU time. The CPU time is that of this process
// and of the children that it waited for: unlike the wall clock, it is the same on a busy machine. Call
// Run from TestMain in packages whose tests take seconds.
//
// The tests in unmeasured may take any time: the subtests of one are tests of their own, or it calls
// t.Parallel and shares the process with others. A test that calls t.Parallel has to be among them.
func Run(m *testing.M, unmeasured ...string) int {
	CleanStart()
	costs := measure(m, unmeasured)
	code := m.Run()
	if slow := tooSlow(costs()); len(slow) > 0 && !Full() && !raceEnabled && code == 0 {
		for _, line := range slow {
			fmt.Fprintln(os.Stderr, line)
		}
		return 1
	}
	return code
}

// measure wraps the top-level tests of m but those named. The function that it returns has the CPU
// time of each test that ran. It panics if no test has one of the names. The testing package has no
// hook around a test, so measure writes to its list.
func measure(m *testing.M, unmeasured []string) func() map[string]time.Duration {
	var mu sync.Mutex
	costs := map[string]time.Duration{}
	list := reflect.ValueOf(m).Elem().FieldByName("tests")
	tests := unsafe.Slice((*testing.InternalTest)(list.UnsafePointer()), list.Len())
	for _, name := range unmeasured {
		if !slices.ContainsFunc(tests, func(t testing.InternalTest) bool { return t.Name == name }) {
			panic("tier: there is no test " + name)
		}
	}
	for i := range tests {
		name, test := tests[i].Name, tests[i].F
		if slices.Contains(unmeasured, name) {
			continue
		}
		tests[i].F = func(t *testing.T) {
			before := cpuTime()
			t.Cleanup(func() {
				mu.Lock()
				defer mu.Unlock()
				costs[name] = max(costs[name], cpuTime()-before)
			})
			test(t)
		}
	}
	return func() map[string]time.Duration { return costs }
}

// tooSlow returns a line for each test that takes too much CPU time.
func tooSlow(costs map[string]time.Duration) []string {
	var all []time.Duration
	for _, cost := range costs {
		all = append(all, cost)
	}
	slices.Sort(all)
	var lines []string
	for name, cost := range costs {
		if median := all[len(all)/2]; cost > maxCPU && cost > maxRatio*median {
			lines = append(lines, fmt.Sprintf("%s takes %.1f s of CPU time, and the median of its package is %.3f s: run a sample of its cases unless %s is set",
				name, cost.Seconds(), median.Seconds(), Variable))
		}
	}
	slices.Sort(lines)
	return lines
}
