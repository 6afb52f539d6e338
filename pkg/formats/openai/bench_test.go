package openai

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkCheck(b *testing.B) {
	const rounds = 200
	said := strings.Repeat("the supplier shall not be liable for indirect loss ", 6)
	var items []string
	for i := range rounds {
		items = append(items,
			fmt.Sprintf(`{"role":"user","content":"%d: %s"}`, i, said),
			fmt.Sprintf(`{"type":"function_call","call_id":"c%d","name":"search","arguments":"{\"clause\": %d}"}`, i, i),
			fmt.Sprintf(`{"type":"function_call_output","call_id":"c%d","output":"%s%d"}`, i, said, i),
			fmt.Sprintf(`{"role":"assistant","content":"%sin clause %d"}`, said, i))
	}
	text := `{"input_history":[` + strings.Join(items, ",") + `],"pre_handoff_items":[],"new_items":[]}`
	doc := parse(b, text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if found := Check(doc, CheckOptions{}); len(found) > 0 {
			b.Fatalf("%+v", found[0])
		}
	}
}
