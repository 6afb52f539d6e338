package claudecode

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/format"
)

// sessionOf returns the lines of a session. Each word is a line, kind:uuid:parent: u is a request, r a
// result, a the assistant, e the note of a failed request, s another note of the program.
func sessionOf(words string) []byte {
	var b strings.Builder
	for _, word := range strings.Fields(words) {
		part := strings.Split(word, ":")
		rest := map[string]string{
			"u": `"type":"user","message":{"role":"user","content":"x"}`,
			"r": `"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}`,
			"a": `"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"x"}]}`,
			"e": `"type":"system","subtype":"api_error"`,
			"s": `"type":"system","subtype":"stop_hook_summary"`,
		}[part[0]]
		fmt.Fprintf(&b, `{"uuid":%q,"parentUuid":%q,"sessionId":"s",%s}`+"\n", part[1], part[2], rest)
	}
	return []byte(b.String())
}

func TestLosses(t *testing.T) {
	for _, tt := range []struct {
		name, lines string
		path        string
		want        []format.Loss
	}{
		{"none", "u:1: a:2:1 u:3:2", "1 2 3", nil},
		{"cut", "u:1: a:2:1 u:3:gone a:4:3", "3 4", []format.Loss{{Cause: format.Dangling, At: 2, Turns: 2, Child: 2, Parent: 1}}},
		{"cut twice", "u:1: a:2:1 u:3:gone a:4:3 u:5:lost", "5", []format.Loss{{Cause: format.Dangling, At: 4, Turns: 2, Child: 4, Parent: 3}, {Cause: format.Dangling, At: 2, Turns: 2, Child: 2, Parent: 1}}},
		{"the beginning of the file", "u:1:gone a:2:1", "1 2", nil},
		{"another conversation before", "u:1: a:2:1 u:3: a:4:3", "3 4", nil},
		{"a reply beside the note of a failure", "u:1: e:2:1 a:3:1 s:4:2 u:5:4", "1 2 4 3 5", []format.Loss{{Cause: format.Orphaned, At: 2, Turns: 1, Child: 1, Parent: 2}}},
		{"a reply below the note", "u:1: e:2:1 a:3:2 s:4:2 u:5:4", "1 2 4 3 5", []format.Loss{{Cause: format.Orphaned, At: 2, Turns: 1, Child: 3, Parent: 2}}},
		{"the reply to the last of several", "u:1: e:2:1 e:3:2 a:4:1 u:5:3", "1 2 3 4 5", []format.Loss{{Cause: format.Orphaned, At: 3, Turns: 1, Child: 1, Parent: 3}}},
		{"a reply of several turns", "u:1: e:2:1 a:3:1 r:4:3 a:5:4 u:6:2", "1 2 3 4 5 6", []format.Loss{{Cause: format.Orphaned, At: 2, Turns: 3, Child: 1, Parent: 4}}},
		{"a branch that the user left", "u:1: e:2:1 a:3:1 u:4:3 u:5:2", "1 2 5", nil},
		{"without a failure", "u:1: s:2:1 a:3:1 u:4:2", "1 2 4", nil},
		{"a reply that came later", "u:1: e:2:1 u:3:2 a:4:3 a:5:1 u:6:4", "1 2 3 4 6", nil},
		{"both replies", "u:1: e:2:1 a:3:1 a:4:2 u:5:4", "1 2 4 5", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree, _ := treeOf(sessionOf(tt.lines))
			path, _ := tree.Conversation()
			var uuids []string
			for _, n := range path {
				uuids = append(uuids, tree.Entry(n).UUID)
			}
			if got := strings.Join(uuids, " "); got != tt.path {
				t.Errorf("path %s, want %s", got, tt.path)
			}
			if diff := cmp.Diff(tt.want, tree.losses()); diff != "" {
				t.Errorf("losses (-want +got):\n%s", diff)
			}
			// The lines that are linked again lose nothing.
			lines := slices.Collect(strings.FieldsSeq(tt.lines))
			for _, loss := range tt.want {
				child := strings.Split(lines[loss.Child], ":")
				lines[loss.Child] = child[0] + ":" + child[1] + ":" + strings.Split(lines[loss.Parent], ":")[1]
			}
			tree, _ = treeOf(sessionOf(strings.Join(lines, " ")))
			if left := tree.losses(); left != nil {
				t.Errorf("still lost: %+v", left)
			}
		})
	}
}
