package trim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/claims"
)

// TestEvidenceMoves checks that pointers of evidence follow the turns, that those to removed turns go, and that
// a restored message has them again.
func TestEvidenceMoves(t *testing.T) {
	var turns []string
	for i := range 4 {
		turns = append(turns, `{"role": "user", "content": "Go on."}`,
			fmt.Sprintf(`{"role": "assistant", "content": null, "tool_calls": [{"id": "c%d", "type": "function", "function": {"name": "Bash", "arguments": "{\"command\": \"go test\"}"}}]}`, i),
			fmt.Sprintf(`{"role": "tool", "tool_call_id": "c%d", "content": "ok x 0.%ds"}`, i, i),
			fmt.Sprintf(`{"role": "assistant", "content": "Step %d: all tests pass."}`, i))
	}
	text := `{"schemaVersion": "2.0", "handoffId": "x", "completedSubtasks": [{"subtaskId": "0", "description": "", "result": "Step 0: all tests pass."}, {"subtaskId": "3", "description": "", "result": "Step 3: all tests pass."}],
		"conversationHistoryVerbatim": [` + strings.Join(turns, ",\n") + `]}`
	built, err := claims.AddEvidence(document(t, []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	r := mustTrim(t, string(built), Options{Last: 4})
	root := document(t, r.Text).Root()
	for i, want := range []string{"", "/conversationHistoryVerbatim/1/tool_calls/0"} {
		call := root.At(fmt.Sprintf("/completedSubtasks/%d/evidence/0/calls/0", i))
		if got := call.Get("pointer").Text(); got != want || call.Get("digest").Text() == "" {
			t.Errorf("subtask %d: pointer %q, want %q, with a digest: %s", i, got, want, call.Raw())
		}
	}
	for pointer := range claims.StalePointers(root) {
		t.Errorf("%s is stale: %s", pointer.Pointer(), pointer.Text())
	}
	if got, want := restored(t, r.Text, r), plain(built); got != want {
		t.Errorf("restored\n%s\nwant\n%s", got, want)
	}
}
