package session

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// longSession returns a session of Claude Code of about the given number of bytes: requests, each
// followed by calls with results of a few kilobytes.
func longSession(size int) []byte {
	var b bytes.Buffer
	b.Grow(size + 1<<16)
	source := strings.Repeat("func main() {\n\tfmt.Println(\"Grüße\", 42)\n}\n", 80)
	n, parent := 0, "null"
	line := func(kind, message, more string) {
		uuid := fmt.Sprintf("%08x-0000-4000-8000-000000000000", n)
		fmt.Fprintf(&b, `{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"/work","sessionId":"5f0c9a34-8f0e-4c1d-9a57-2b6f6f4a7c10","version":"2.1.14","gitBranch":"main","type":%q,"message":%s%s,"uuid":%q,"timestamp":"2026-06-12T09:%02d:%02d.000Z"}`+"\n",
			parent, kind, message, more, uuid, n/60%60, n%60)
		parent = fmt.Sprintf("%q", uuid)
		n++
	}
	for i := 0; b.Len() < size; i++ {
		if i%20 == 0 {
			line("user", fmt.Sprintf(`{"role":"user","content":"Request %d: change the module so that it prints the other greeting."}`, i/20), "")
		}
		usage := `"usage":{"input_tokens":4,"cache_creation_input_tokens":300,"cache_read_input_tokens":90000,"output_tokens":120}`
		line("assistant", fmt.Sprintf(`{"id":"msg_%d","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"I read file %d, which decides on 7 greetings."}],%s}`, i, i, usage), "")
		line("assistant", fmt.Sprintf(`{"id":"msg_%d","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"file_path":"/work/file%d.go"}}],%s}`, i, i, i%500, usage), "")
		line("user", fmt.Sprintf(`{"role":"user","content":[{"tool_use_id":"toolu_%d","type":"tool_result","content":%q}]}`, i, source), fmt.Sprintf(`,"toolUseResult":{"type":"text","file":{"content":%q}}`, source))
	}
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	text := longSession(100 << 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := Read(bytes.NewReader(text), int64(len(text)), Options{TailBytes: 1 << 20})
		if err != nil || len(s.Turns) == 0 {
			b.Fatal(err, len(s.Turns))
		}
	}
}

func BenchmarkPeek(b *testing.B) {
	text := longSession(10 << 20)
	for b.Loop() {
		if _, err := Peek(bytes.NewReader(text), int64(len(text)), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
