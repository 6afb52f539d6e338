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
	if lines := tooSlow(costs); len(lines) > 0 {
		t.Errorf("at the limit: %q", lines)
	}
	costs["TestC"] = maxCPU + 1
	if lines := tooSlow(costs); len(lines) != 1 || !strings.HasPrefix(lines[0], "TestC takes 10.0 s of CPU time") {
		t.Errorf("over the limit: %q", lines)
	}
	for name := range costs { // a package of slow tests
		costs[name] += time.Second
	}
	if lines := tooSlow(costs); len(lines) > 0 {
		t.Errorf("less than %d times the median: %q", maxRatio, lines)
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

// busy is the CPU time that TestCPUTime takes at least.
const busy = 20 * time.Millisecond

func TestCPUTime(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the CPU time is not measured, or is coarse")
	}
	for before := cpuTime(); cpuTime()-before < busy; {
	}
}
