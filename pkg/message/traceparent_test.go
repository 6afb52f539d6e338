package message_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/eaapl/handoff/pkg/message"
)

const (
	traceID  = "4bf92f3577b34da6a3ce929d0e0e4736"
	parentID = "00f067aa0ba902b7"
)

// The rules and examples of W3C Trace Context, https://www.w3.org/TR/trace-context/, section
// 3.2; several cases are from the W3C's own test suite.
func TestParseTraceparent(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   string
		ok   bool
	}{
		{name: "example, sampled (3.2.4)", in: "00-" + traceID + "-" + parentID + "-01", ok: true},
		{name: "example, not sampled (3.2.4)", in: "00-" + traceID + "-" + parentID + "-00", ok: true},
		{name: "example of 3.2.2", in: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", ok: true},
		{name: "flags that are not defined are read (3.2.2.5)", in: "00-" + traceID + "-" + parentID + "-ff", ok: true},
		{name: "a later version, four fields (4.3)", in: "cc-" + traceID + "-" + parentID + "-01", ok: true},
		{name: "a later version, more fields (4.3)", in: "cc-" + traceID + "-" + parentID + "-01-what-the-future-will-be-like", ok: true},
		{name: "a later version, an empty field", in: "cc-" + traceID + "-" + parentID + "-01-", ok: true},
		{name: "a later version, more without a dash (4.3)", in: "cc-" + traceID + "-" + parentID + "-01.what"},
		{name: "version ff is invalid (3.2.2.1)", in: "ff-" + traceID + "-" + parentID + "-01"},
		{name: "version 00 has four fields (3.2.2.2)", in: "00-" + traceID + "-" + parentID + "-01-what"},
		{name: "version 00 ends with the flags", in: "00-" + traceID + "-" + parentID + "-01-"},
		{name: "trace-id all zero (3.2.2.3)", in: "00-" + strings.Repeat("0", 32) + "-" + parentID + "-01"},
		{name: "parent-id all zero (3.2.2.4)", in: "00-" + traceID + "-" + strings.Repeat("0", 16) + "-01"},
		{name: "upper case version", in: "CC-" + traceID + "-" + parentID + "-01"},
		{name: "upper case trace-id", in: "00-" + strings.ToUpper(traceID) + "-" + parentID + "-01"},
		{name: "upper case parent-id", in: "00-" + traceID + "-" + strings.ToUpper(parentID) + "-01"},
		{name: "upper case flags", in: "00-" + traceID + "-" + parentID + "-0A"},
		{name: "short version", in: "0-" + traceID + "-" + parentID + "-01"},
		{name: "long version", in: "000-" + traceID + "-" + parentID + "-01"},
		{name: "no hexadecimal version", in: ".0-" + traceID + "-" + parentID + "-01"},
		{name: "short trace-id", in: "00-" + traceID[1:] + "-" + parentID + "-01"},
		{name: "long trace-id", in: "00-" + traceID + "ab-" + parentID + "-01"},
		{name: "no hexadecimal trace-id", in: "00-." + traceID[1:] + "-" + parentID + "-01"},
		{name: "short parent-id", in: "00-" + traceID + "-" + parentID[1:] + "-01"},
		{name: "long parent-id", in: "00-" + traceID + "-" + parentID + "00-01"},
		{name: "short flags", in: "00-" + traceID + "-" + parentID + "-1"},
		{name: "long flags", in: "00-" + traceID + "-" + parentID + "-001"},
		{name: "space around", in: " 00-" + traceID + "-" + parentID + "-01"},
		{name: "three fields", in: "00-" + traceID + "-" + parentID},
		{name: "empty", in: ""},
		{name: "dashes", in: "---"},
		{name: "long and hostile", in: strings.Repeat("-", 1<<20)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := message.ParseTraceparent(tt.in)
			if (err == nil) != tt.ok || err != nil && !errors.Is(err, message.ErrTraceparent) {
				t.Fatalf("got %v, error %v", got, err)
			}
			// Version 00 is written, whatever version was read.
			if tt.ok && got.String() != "00"+tt.in[2:55] {
				t.Errorf("got %s, want 00%s", got, tt.in[2:55])
			}
		})
	}
}

// A child is another span of the same trace.
func TestTraceparentChild(t *testing.T) {
	parent, err := message.ParseTraceparent("00-" + traceID + "-" + parentID + "-01")
	if err != nil {
		t.Fatal(err)
	}
	child, err := parent.Child(rand.Reader)
	if err != nil || child.TraceID != parent.TraceID || child.Flags != parent.Flags || child.ParentID == parent.ParentID {
		t.Errorf("got %s, error %v", child, err)
	}
	if parent.String() != "00-"+traceID+"-"+parentID+"-01" {
		t.Errorf("the parent became %s", parent)
	}
}

func TestNewTraceparent(t *testing.T) {
	for name, random := range map[string]io.Reader{
		"random":   rand.Reader,
		"all zero": bytes.NewReader(make([]byte, 24)),
		"slow":     iotest.OneByteReader(rand.Reader),
	} {
		trace, err := message.NewTraceparent(random)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again, err := message.ParseTraceparent(trace.String()); err != nil || again != trace || trace.Flags != 0 {
			t.Errorf("%s: %s reads as %s, error %v", name, trace, again, err)
		}
	}
	for _, n := range []int{0, 15, 16, 23} {
		if trace, err := message.NewTraceparent(bytes.NewReader(make([]byte, n))); err == nil {
			t.Errorf("%d random bytes: got %s", n, trace)
		}
	}
}
