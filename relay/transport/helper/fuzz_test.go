package helper

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/relay/transport"
)

const helloPublish = `{"id":1,"do":"hello","versions":[1],"role":"publish","url":"relay://host","maxBytes":1000}` + "\n"
const helloConsume = `{"id":1,"do":"hello","versions":[1],"role":"consume","url":"relay://host"}` + "\n"

// serve returns the output of a helper for an input.
func serve(t *testing.T, input string) (output string, err error) {
	t.Helper()
	m := new(transport.Memory)
	if _, err := m.Publisher().Publish(t.Context(), transport.Message{Key: "k", Body: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = Serve(t.Context(), strings.NewReader(input), &out, memory(m))
	return out.String(), err
}

// FuzzServe checks that a helper with any input ends with its input, and writes only responses.
func FuzzServe(f *testing.F) {
	for _, line := range []string{
		`{"id":2,"do":"publish","message":{"headers":{"Idempotency-Key":"k"},"body":"eA=="}}`,
		`{"id":2,"do":"answers","replyTo":"me"}` + "\n" + `{"id":3,"do":"next","consumer":1}` + "\n" + `{"id":3,"do":"cancel"}`,
		`{"id":2,"do":"ask","message":{}}`,
		`{"id":2,"do":"publish"`,
		`{"id":2,"do":"hello"}` + "\n" + `{"id":0,"do":"close"}`,
	} {
		f.Add(helloPublish + line + "\n")
	}
	for _, line := range []string{
		`{"id":2,"do":"next"}` + "\n" + `{"id":2,"do":"next"}`,
		`{"id":2,"do":"next"}` + "\n" + `{"id":3,"do":"ack","delivery":1}`,
		`{"id":2,"do":"return","delivery":1,"afterMillis":-1}`,
		`{"id":2,"do":"reply","replyTo":"me","message":{"body":"!"}}`,
		`{"id":2,"do":"close"}` + "\n" + `{"id":3,"do":"next"}`,
	} {
		f.Add(helloConsume + line + "\n")
	}
	f.Add(strings.Repeat("x", besideBody+2))
	f.Fuzz(func(t *testing.T, input string) {
		output, _ := serve(t, input)
		r := bufio.NewReader(strings.NewReader(output))
		for {
			line, err := readLine(r, lineLimit(0))
			if err == io.EOF {
				break
			}
			var a response
			if err == nil {
				err = decode(line, &a)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// written is a program that has written its output, whatever the requests.
type written struct {
	io.Reader
	asked chan struct{} // closed at the first request
}

func (w *written) Read(b []byte) (int, error) {
	<-w.asked
	return w.Reader.Read(b)
}

func (w *written) Write(b []byte) (int, error) {
	select {
	case <-w.asked:
	default:
		close(w.asked)
	}
	return len(b), nil
}

func (*written) Close() error           { return nil }
func (*written) stop(error)             {}
func (*written) end(reason error) error { return reason }

// FuzzResponses checks that, with any output of a helper, everything in flight ends, and that no message is
// delivered that is longer than permitted.
func FuzzResponses(f *testing.F) {
	f.Add(`{"id":1,"delivery":1,"message":{"headers":{"Handoff-Attempt":"2"},"body":"eA=="}}` + "\n" + `{"id":2}` + "\n")
	f.Add(`{"id":1,"delivery":1,"message":{"body":"MTIzNDU2Nzg5MDE="}}` + "\n")
	f.Add(`{"id":1,"error":{"kind":"too-large","text":"x","size":-1}}` + "\n")
	f.Add(`{"id":1,"error":{"kind":"permanent","text":"\u001b"}}` + "\n" + `{"id":1}`)
	f.Add(`{"id":0,"error":{"text":"x"}}` + "\n")
	f.Fuzz(func(t *testing.T, output string) {
		const maxBytes = 10
		c := newConn("fuzzed", &written{strings.NewReader(output), make(chan struct{})}, maxBytes, func(s string) string { return s })
		list := &consumer{conn: c}
		for range 3 {
			d, err := list.Next(context.Background())
			if err != nil {
				continue
			}
			if len(d.Message().Body) > maxBytes {
				t.Errorf("%d bytes", len(d.Message().Body))
			}
			_ = d.Ack(context.Background())
		}
		if err := list.Close(); err == nil && !strings.Contains(output, "id") {
			t.Error("closed without a response")
		}
	})
}

// TestServe checks the responses of a helper to invalid requests.
func TestServe(t *testing.T) {
	for _, tt := range []struct{ name, input, output, err string }{
		{name: "nothing"},
		{name: "not open", input: `{"id":2,"do":"next"}`, output: `{"id":2,"error":{"text":"nothing is open: the first request is hello"}}`},
		{name: "another version", input: `{"id":1,"do":"hello","versions":[2,3]}`,
			output: `{"id":1,"error":{"kind":"permanent","text":"this program uses version 1 of the protocol, but the request offers [2 3]"}}`},
		{name: "another scheme", input: `{"id":1,"do":"hello","versions":[1],"role":"consume","url":"x://me:secret@host"}`,
			output: `{"id":1,"error":{"kind":"permanent","text":"this program has no transport \"x\""}}`},
		{name: "an address that is looked at", input: `{"id":1,"do":"hello","versions":[1],"role":"check","url":"relay://host"}`,
			output: `{"id":1,"version":1}`},
		{name: "an address that can never work", input: `{"id":1,"do":"hello","versions":[1],"role":"check","url":"relay://host/never"}`,
			output: `{"id":1,"error":{"kind":"address","text":"no queue is called never"}}`},
		{name: "no role", input: `{"id":1,"do":"hello","versions":[1],"url":"relay://host"}`,
			output: `{"id":1,"error":{"kind":"permanent","text":"the role \"\" is neither publish nor consume"}}`},
		{name: "no JSON", input: "GET / HTTP/1.1\r",
			output: `{"id":0,"error":{"text":"standard input: line 1: \"GET / HTTP/1.1\\r\": not a JSON object"}}`,
			err:    `standard input: line 1: "GET / HTTP/1.1\r": not a JSON object`},
		{name: "another type", input: `{"id":"1","do":"hello"}`,
			output: `{"id":0,"error":{"text":"standard input: line 1: \"{\\\"id\\\":\\\"1\\\",\\\"do\\\":\\\"hello\\\"}\": unexpected value at \"/id\""}}`,
			err:    `standard input: line 1: "{\"id\":\"1\",\"do\":\"hello\"}": unexpected value at "/id"`},
		{name: "no id", input: `{"do":"hello"}`,
			output: `{"id":0,"error":{"text":"standard input: line 1: a request has no id"}}`,
			err:    `standard input: line 1: a request has no id`},
		{name: "too long", input: strings.Repeat("x", besideBody+1),
			output: `{"id":0,"error":{"text":"standard input: line 1: a line of more than 65536 bytes: \"` + strings.Repeat("x", maxQuoted) + `\"…"}}`,
			err:    `standard input: line 1: a line of more than 65536 bytes: "` + strings.Repeat("x", maxQuoted) + `"…`},
		{name: "unknown", input: helloConsume + `{"id":2,"do":"dance"}`,
			output: `{"id":1,"version":1}` + "\n" + `{"id":2,"error":{"kind":"permanent","text":"the request \"dance\" is unknown"}}`},
		{name: "what is not open", input: helloPublish + `{"id":2,"do":"ack","delivery":7}`,
			output: `{"id":1,"version":1}` + "\n" + `{"id":2,"error":{"text":"no delivery 7 is open"}}`},
		{name: "members of later versions", input: `{"id":2,"do":"next","mode":"fast"}`, output: `{"id":2,"error":{"text":"nothing is open: the first request is hello"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.input != "" {
				tt.input += "\n"
			}
			output, err := serve(t, tt.input)
			if tt.output != "" {
				tt.output += "\n"
			}
			if output != tt.output {
				t.Errorf("got  %s\nwant %s", output, tt.output)
			}
			if got := ""; err != nil {
				if got = err.Error(); got != tt.err {
					t.Errorf("got  %s\nwant %s", got, tt.err)
				}
			} else if tt.err != "" {
				t.Error("no error")
			}
		})
	}
	if _, err := serve(t, `{"id":1`); err == nil || err.Error() != "standard input: line 1: the last line is incomplete" {
		t.Errorf("a cut line: %v", err)
	}
}

// decodeKnown is decode for requests without unknown members.
func decodeKnown(line string, into any) error {
	return json.Unmarshal([]byte(line), into, json.RejectUnknownMembers(true))
}
