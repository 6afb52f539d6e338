package tier

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestCount(t *testing.T) {
	t.Setenv(Variable, "")
	if got := Count(3, 1000); got != 3 {
		t.Errorf("first tier: %d cases, want 3", got)
	}
	t.Setenv(Variable, "1")
	if got := Count(3, 1000); got != 1000 {
		t.Errorf("second tier: %d cases, want 1000", got)
	}
}

func TestTooSlow(t *testing.T) {
	costs := map[string]time.Duration{"TestA": time.Millisecond, "TestB": 20 * time.Millisecond, "TestC": maxCPU}
	if slow := tooSlow(costs, maxCPU); len(slow) > 0 {
		t.Errorf("at the limit: %q", slow)
	}
	costs["TestC"] = maxCPU + 1
	if slow := tooSlow(costs, maxCPU); len(slow) != 1 || !strings.HasPrefix(slow["TestC"], "TestC takes 10.0 s of CPU time") {
		t.Errorf("over the limit: %q", slow)
	}
	for name := range costs { // a package with slow tests
		costs[name] += time.Second
	}
	if slow := tooSlow(costs, maxCPU); len(slow) > 0 {
		t.Errorf("less than %d times the median: %q", maxRatio, slow)
	}
}

// TestAgain checks that the second measurement is of a single test, in a process with that argument.
func TestAgain(t *testing.T) {
	if os.Getenv(measuredAgain) != "" {
		for before := cpuTime(); cpuTime()-before < busy; {
		}
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("the CPU time is coarse")
	}
	if got := again("TestAgain"); got < busy || got > 100*busy {
		t.Errorf("measured %v, want %v or a little more", got, busy)
	}
	if got, _ := speed(); got < 1 {
		t.Errorf("slowness is %v, want 1 or more", got)
	}
}

// TestMain checks the measurement with the tests of this package, which it runs first.
func TestMain(m *testing.M) {
	costs := measure(m, nil)
	code := m.Run()
	if cost, ran := costs()["TestCPUTime"]; ran && runtime.GOOS == "linux" && cost < busy {
		fmt.Fprintf(os.Stderr, "TestCPUTime is measured to take %v, and takes %v or more\n", cost, busy)
		code = 1
	}
	os.Exit(code)
}

// busy is the minimum CPU time of TestCPUTime.
const busy = 20 * time.Millisecond

func TestCPUTime(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the CPU time is not measured, or is coarse")
	}
	for before := cpuTime(); cpuTime()-before < busy; {
	}
}
