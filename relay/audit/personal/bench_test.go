package personal

import (
	"bytes"
	"os"
	"testing"

	"github.com/eaapl/handoff/pkg/privacy"
)

// BenchmarkSeparate separates the data of a customer from the example.
func BenchmarkSeparate(b *testing.B) {
	raw, err := os.ReadFile("../../../schemas/examples/message.json")
	if err != nil {
		b.Fatal(err)
	}
	raw = bytes.Replace(raw, []byte(`"currentState": {`), []byte(`"currentState": {"customer":{"id":"C-4711","name":"Erika Mustermann","born":"1964-08-12"},`), 1)
	s := separatorFor(b, privacy.Policy{Subject: "/currentState/customer/id", Always: []string{"/currentState/customer/*"}})
	m := parse(b, raw)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if s.separate(raw, m, false) == nil {
			b.Fatal("nothing was found")
		}
	}
}
