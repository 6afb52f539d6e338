package chat

import (
	"strings"

	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ItemKinds maps types of items other than messages to their members. Each name is followed by the
// kinds of its value: s string, a array, o object, b boolean, n null, and - if it is optional.
type ItemKinds map[string]string

// ResponsesKinds are the item kinds of the Responses API.
var ResponsesKinds = ItemKinds{
	"function_call":           "call_id:s name:s arguments:s id:s- status:sn-",
	"function_call_output":    "call_id:s output:sa id:sn-",
	"custom_tool_call":        "call_id:s name:s input:s id:s-",
	"custom_tool_call_output": "call_id:s output:sa id:s-",
	"reasoning":               "summary:a id:s- content:a- encrypted_content:sn-",
	"item_reference":          "id:s",
	"compaction":              "encrypted_content:s",
	"web_search_call":         "id:s status:sn action:o-",
	"file_search_call":        "id:s queries:a status:sn results:an-",
	"computer_call":           "call_id:s id:s- status:sn- action:o- pending_safety_checks:a-",
	"computer_call_output":    "call_id:s output:o",
	"code_interpreter_call":   "id:s status:sn code:sn- container_id:s- outputs:an-",
	"image_generation_call":   "id:s status:sn result:sn-",
	"local_shell_call":        "call_id:s action:o id:s- status:sn-",
	"local_shell_call_output": "output:s id:s- call_id:s-",
	"shell_call":              "call_id:s action:o",
	"shell_call_output":       "call_id:s output:a",
	"apply_patch_call":        "call_id:s operation:o status:sn-",
	"apply_patch_call_output": "call_id:s status:sn output:sn-",
	"mcp_list_tools":          "server_label:s tools:a id:s-",
	"mcp_approval_request":    "id:s name:s arguments:s server_label:s",
	"mcp_approval_response":   "approval_request_id:s approve:b reason:sn-",
	"mcp_call":                "id:s name:s arguments:s server_label:s output:sn-",
	"tool_search_call":        "id:sn- call_id:sn- execution:s- status:sn-",
	"tool_search_output":      "tools:a call_id:sn-",
	"program":                 "call_id:s code:s id:s-",
	"program_output":          "call_id:s result:s id:s-",
}

// kindLetters are the letters of [ItemKinds].
var kindLetters = map[jsonstream.Kind]string{
	jsonstream.String: "s", jsonstream.Array: "a", jsonstream.Object: "o", jsonstream.Null: "n",
	jsonstream.True: "b", jsonstream.False: "b", jsonstream.Absent: "-",
}

// Whole reports whether an item has the members that its type requires. It returns true for unknown
// types.
func (k ItemKinds) Whole(item tree.Node) bool {
	kind := item.Get("type").Text()
	for member := range strings.FieldsSeq(k[kind]) {
		name, letters, _ := strings.Cut(member, ":")
		v := item.Get(name)
		if letter := kindLetters[v.Kind()]; letter == "" || !strings.Contains(letters, letter) {
			return false
		}
		if v.Is(jsonstream.Array) && name != "tools" && name != "queries" && name != "outputs" && kind != "shell_call_output" && !areTyped(v) {
			return false
		}
	}
	if kind == "reasoning" { // either of them identifies it
		return item.Get("id") != tree.None || tree.IsString(item.Get("encrypted_content"))
	}
	return true
}

// areTyped reports whether the elements of a list have types, and text elements a text.
func areTyped(list tree.Node) bool {
	return tree.All(list, func(p tree.Node) bool {
		kind := p.Get("type")
		return tree.IsString(kind) && (!strings.HasSuffix(kind.Text(), "_text") || tree.IsString(p.Get("text")))
	})
}
