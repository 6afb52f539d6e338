package transporttest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/relay/transport"
)

// HoldVariable is the environment variable with the address of the place for [Hold].
const HoldVariable = "HANDOFF_TEST_HOLD"

// held is printed by a process that holds a message.
const held = "a message is held"

// Kill runs the test TestHold of a test binary as a separate process, and kills it when it holds a
// message of a place.
func Kill(t *testing.T, binary, address string) {
	t.Helper()
	t.Setenv(HoldVariable, address)
	out, stdout := io.Pipe()
	agent, err := child.StartAgent(t.Context(), []string{binary, "-test.run=^TestHold$", "-test.v"}, stdout, stdout)
	if err != nil {
		t.Fatal(err)
	}
	var output strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != held {
		fmt.Fprintln(&output, lines.Text())
		if strings.HasPrefix(lines.Text(), "--- ") { // the test has ended
			t.Fatalf("no message was held:\n%s", &output)
		}
	}
	go io.Copy(io.Discard, out) //nolint:errcheck // so that it can end
	agent.Kill()
}

// Hold is the body of the test TestHold in the process that [Kill] kills. It does nothing in any
// other process, where address, the value of [HoldVariable], is empty.
func Hold(t *testing.T, address string, o transport.Options, consume func(context.Context, *url.URL, transport.Options) (transport.Consumer, error)) {
	if address == "" {
		t.Skip("only for the process that another test kills")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	c, err := consume(t.Context(), u, o)
	if err != nil {
		t.Fatal(err)
	}
	Next(t, c)
	fmt.Println(held)
	<-t.Context().Done() // never: the process is killed
}
