package tier

import (
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// A test of the first tier is too slow when it takes more than maxCPU on the reference machine, and
// more than maxRatio times the median of its package.
const (
	maxCPU   = 10 * time.Second
	maxRatio = 20
)

// measuredAgain is set in the process that measures one test again.
const measuredAgain = "HANDOFF_TEST_MEASURED_AGAIN"

// Run calls [CleanStart], runs the tests of a package, as m.Run does, and returns the exit code. The
// code is 1 if a test of the first tier took too much CPU time. The CPU time is that of this process
// and of the children that it waited for: unlike the wall clock, it hardly depends on other programs.
// A test that seems too slow runs a second time, alone: the first time it may have compiled programs or
// installed packages. On a busy machine no test is too slow: processes that share caches and cores take
// more CPU time, too. Call Run from TestMain in packages whose tests take seconds.
//
// The tests in unmeasured may take any time: the subtests of one are tests of their own, or it calls
// t.Parallel and shares the process with others. A test that calls t.Parallel must be among them.
func Run(m *testing.M, unmeasured ...string) int {
	CleanStart()
	costs := measure(m, unmeasured)
	code := m.Run()
	if code != 0 || Full() || UnderRace || os.Getenv(measuredAgain) != "" {
		return code
	}
	all := costs()
	if len(tooSlow(all, maxCPU)) == 0 {
		return code
	}
	slowness, busy := speed()
	if busy {
		return code
	}
	limit := time.Duration(float64(maxCPU) * slowness)
	for name := range tooSlow(all, limit) {
		all[name] = min(all[name], again(name))
	}
	later, busy := speed()
	if busy {
		return code
	}
	slow := tooSlow(all, time.Duration(float64(maxCPU)*max(slowness, later))) // a virtual machine changes its speed within seconds
	for _, name := range slices.Sorted(maps.Keys(slow)) {
		fmt.Fprintln(os.Stderr, slow[name])
		code = 1
	}
	return code
}

// speed measures this machine. The slowness is the ratio of its time for computing and memory allocation to
// that of the reference machine, the AMD EPYC of CONTRIBUTING.md, at least 1. On some virtual machines memory
// takes a hundred times as long. The machine is busy if this process had to wait.
func speed() (slowness float64, busy bool) {
	const reference = 150 * time.Millisecond
	x, before, start := uint64(1), cpuTime(), time.Now()
	for range 50_000_000 {
		x = x*6364136223846793005 + 1442695040888963407 // each step needs the one before
	}
	memory := make([]byte, 256<<20)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = byte(x)
	}
	runtime.KeepAlive(memory)
	cpu := cpuTime() - before
	return max(1, float64(cpu)/float64(reference)), time.Since(start) > cpu*3/2
}

// again returns the CPU time of a test in a separate process, or the longest duration if it fails there.
func again(name string) time.Duration {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	c := exec.Command(self, "-test.run", "^"+name+"$")
	c.Env = append(os.Environ(), measuredAgain+"=1")
	if out, err := c.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s fails alone: %v\n%s", name, err, out)
		return math.MaxInt64
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// measure wraps the top-level tests of m except unmeasured. It returns a function that returns the CPU time
// of each test that ran. It panics if no test has one of the names. The testing package has no hook around a
// test, so measure writes to its list.
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

// tooSlow returns the tests that exceed both limit and maxRatio, each with a line for the user.
func tooSlow(costs map[string]time.Duration, limit time.Duration) map[string]string {
	all := slices.Sorted(maps.Values(costs))
	slow := map[string]string{}
	for name, cost := range costs {
		if median := all[len(all)/2]; cost > limit && cost > maxRatio*median {
			slow[name] = fmt.Sprintf("%s takes %.1f s of CPU time, and the median of its package is %.3f s: run a sample of its cases unless %s is set",
				name, cost.Seconds(), median.Seconds(), Variable)
		}
	}
	return slow
}
