package cmd

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/eaapl/handoff/internal/checkup"
	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/internal/programtest"
)

// silent listens at an address that accepts connections and never answers: silent VARIABLE.
func silent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: silent VARIABLE")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], l.Addr().String())
}

// TestDoctorServers checks that doctor reports running servers with their versions, and creates nothing on
// them.
func TestDoctorServers(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir()) // doctor checks whether its files can be written
	for name, address := range map[string]string{"PostgreSQL": "127.0.0.1:5432", "NATS": "127.0.0.1:4222", "Redis": "127.0.0.1:6379", "RabbitMQ": "127.0.0.1:5672"} {
		t.Run(name, func(t *testing.T) {
			place := map[string]string{
				"PostgreSQL": "postgres://postgres@" + programtest.Server(t, name, address) + "/postgres?sslmode=disable&queue=" + programtest.UniqueName(),
				"NATS":       "nats://" + address + "/doctor." + programtest.UniqueName(),
				"Redis":      "redis://" + address + "/0/" + programtest.UniqueName(),
				"RabbitMQ":   "amqp://" + address + "/" + programtest.UniqueName(),
			}[name]
			var found struct{ Checks []checkup.Result }
			if err := json.Unmarshal([]byte(programtest.Run(t, "doctor", "-f", "json", place)), &found); err != nil {
				t.Fatal(err)
			}
			for _, r := range found.Checks {
				if r.Kind != "transport" {
					continue
				}
				if r.Status != checkup.OK || !hasVersion(r.Server, name) {
					t.Errorf("status %q of %q, want ok and a version: %s", r.Status, r.Server, r.Problem)
				}
				if clock := name == "PostgreSQL" || name == "Redis"; clock != (r.Clock != nil) {
					t.Errorf("clock %v, want one: %v", r.Clock, clock)
				}
				return
			}
			t.Error("the transport was not checked")
		})
	}
}

// TestDoctorRedirect checks that a redirect counts as a failure.
func TestDoctorRedirect(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	server := httptest.NewServer(http.RedirectHandler("http://elsewhere.example/s3cret", http.StatusFound))
	defer server.Close()
	for kind, args := range map[string][]string{"transport": {server.URL}, "alert-url": nil} {
		c := exec.Command("handoff", append([]string{"doctor", "-f", "json"}, args...)...)
		if kind == "alert-url" {
			c.Env = append(os.Environ(), "HANDOFF_ALERT_URL="+server.URL)
		}
		out, _ := c.Output() // the exit code is checked below
		var found struct{ Checks []checkup.Result }
		if err := json.Unmarshal(out, &found); err != nil {
			t.Fatal(err)
		}
		if c.ProcessState.ExitCode() != program.ExitNo || strings.Contains(string(out), "s3cret") || !slices.ContainsFunc(found.Checks, func(r checkup.Result) bool {
			return r.Kind == kind && r.Status == checkup.Fail && strings.Contains(r.Problem, "redirects to http://elsewhere.example,")
		}) {
			t.Errorf("%s: exit code %d: %s", kind, c.ProcessState.ExitCode(), out)
		}
	}
}

// hasVersion reports whether a text has a product and its version number.
func hasVersion(text, product string) bool {
	return len(text) > len(product)+1 && text[:len(product)] == product && text[len(product)+1] >= '0' && text[len(product)+1] <= '9'
}
