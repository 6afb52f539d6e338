package a2a

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// TestOracleSDK sends 1,000 signed handoffs to a server of @a2a-js/sdk, as messages of 1.0 and 0.3, in
// artifacts and in tasks. The server must accept them, and its output must still carry them with a valid
// signature.
func TestOracleSDK(t *testing.T) {
	sdk := oracle.Start(t, "a2a")
	example, err := schemas.Example("message")
	if err != nil {
		t.Fatal(err)
	}
	handoffs := [][]byte{signed(t, string(example))}
	generator := rapid.Custom(generated)
	for seed := len(handoffs); seed < 1000; seed++ {
		handoffs = append(handoffs, signed(t, generator.Example(seed)))
	}
	var docs [][]byte
	for i, handoff := range handoffs {
		text, err := Wrap(parse(t, string(handoff)).Root(), WrapOptions{ContextID: "c1"})
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, []byte(inDialect(string(text), i%4)))
	}
	for i, answer := range sdk.Ask(docs...) {
		if !answer.OK {
			t.Fatalf("the SDK refuses %s: %s", docs[i], answer.Error)
		}
		var written map[string]json.RawMessage
		if err := json.Unmarshal(answer.Raw, &written); err != nil {
			t.Fatal(err)
		}
		text := written[[]string{"message", "message", "artifact", "task"}[i%4]]
		doc := parse(t, string(text))
		got, err := Unwrap(doc.Root(), Handoff)
		if err != nil {
			t.Fatalf("%v: the SDK writes %s\nof %s", err, text, docs[i])
		}
		verify(t, got.Raw())
		if found := rules.Check(doc, jsonstream.Limits{}); len(found) > 0 {
			t.Fatalf("%+v: the SDK writes %s\nof %s", found, text, docs[i])
		}
	}
}

// inDialect returns a message unchanged, as a message of 0.3, as an artifact, or in a task.
func inDialect(text string, n int) string {
	switch n {
	case 1:
		text = strings.Replace(text, `{"messageId"`, `{"kind":"message","messageId"`, 1)
		text = strings.Replace(text, `"role":"ROLE_USER"`, `"role":"user"`, 1)
		text = strings.Replace(text, `"parts":[{"data"`, `"parts":[{"kind":"data","data"`, 1)
		return strings.Replace(text, `"mediaType":"application/json",`, ``, 1)
	case 2:
		from := strings.Index(text, `"extensions":`)
		return `{"artifactId":"a1",` + text[from:]
	case 3:
		return `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"},"history":[` + text + `]}`
	}
	return text
}
