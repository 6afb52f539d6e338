package render

import (
	"os"
	"testing"
)

func BenchmarkAppend(b *testing.B) {
	text, err := os.ReadFile("../../schemas/examples/message.json")
	if err != nil {
		b.Fatal(err)
	}
	doc := parse(b, string(text))
	var r Renderer
	var out []byte
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		out, err = r.Append(out[:0], doc)
		if err != nil {
			b.Fatal(err)
		}
	}
}
