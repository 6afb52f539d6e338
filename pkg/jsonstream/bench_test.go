package jsonstream

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// messages returns n lines of about 7 kB, each an object with the mixture of short and long
// texts, numbers and nesting of real messages.
func messages(n int) []byte {
	var b bytes.Buffer
	sentence := strings.Repeat("the clause about liability is far from the standard of the industry ", 2)
	for i := range n {
		fmt.Fprintf(&b, `{"schemaVersion":"2.0","handoffId":"0c5c7fd0-a6a3-4450-a513-%012d","parentHandoffId":null,"turns":[`, i)
		for turn := range 24 {
			if turn > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"role":"assistant","content":%q,"score":0.60072%d,"clauses":[{"id":"%d.0","text":"party"},{"id":%d,"done":true}]}`, sentence, turn, turn, turn)
		}
		b.WriteString("]}\n")
	}
	return b.Bytes()
}

func BenchmarkSplitter(b *testing.B) {
	lines := messages(1000)
	for _, bench := range []struct {
		name string
		text []byte
	}{
		{"lines", lines},
		{"one document", slices.Concat([]byte("["), bytes.ReplaceAll(lines, newline, []byte(",\n")), []byte("0]"))},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.text)))
			b.ReportAllocs()
			for b.Loop() {
				s := NewSplitter(bytes.NewReader(bench.text), Limits{})
				for {
					if _, err := s.Next(); err == io.EOF {
						break
					}
				}
			}
		})
	}
}

func BenchmarkParser(b *testing.B) {
	raw := NewRaw(messages(1))
	b.SetBytes(int64(len(raw.Bytes)))
	b.ReportAllocs()
	var p Parser
	for b.Loop() {
		if _, err := p.Parse(raw, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
