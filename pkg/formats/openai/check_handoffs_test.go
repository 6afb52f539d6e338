package openai

import (
	"fmt"
	"strings"
	"testing"
)

// handoffItems are the call of a handoff and its output, as run items of an agent.
func handoffItems(n int, from, to string) string {
	call, output, _ := strings.Cut(transfer(n, to), "},{")
	return fmt.Sprintf(`{"type":"handoff_call_item","agent":{"name":%q},"raw_item":%s}},{"type":"handoff_output_item","agent":{"name":%q},"raw_item":{%s}`, from, call, from, output)
}

// TestBounce checks that a bounce is reported if the earlier agent is known and the task returns within
// the window, without a message of the user in between.
func TestBounce(t *testing.T) {
	const user, assistant = `{"role":"user","content":"Well?"}`, `{"role":"assistant","content":"Hm."}`
	join := func(items ...string) string { return data(`"Hi"`, strings.Join(items, ","), "") }
	for _, tt := range []struct {
		name, data string
		window     int
		want       string
	}{
		{"run items", join(handoffItems(1, "A", "B"), handoffItems(2, "B", "A")), 2, "/pre_handoff_items/3/raw_item"},
		{"not asked for", join(handoffItems(1, "A", "B"), handoffItems(2, "B", "A")), 0, ""},
		{"too late", join(handoffItems(1, "A", "B"), assistant, handoffItems(2, "B", "A")), 2, ""},
		{"the user spoke", join(handoffItems(1, "A", "B"), user, handoffItems(2, "B", "A")), 9, ""},
		{"nothing says who was first", join(transfer(1, "B"), transfer(2, "A")), 9, ""},
		{"it had the task before", join(transfer(1, "B"), transfer(2, "C"), transfer(3, "B")), 2, "/pre_handoff_items/5"},
		{"on and on", join(handoffItems(1, "A", "B"), handoffItems(2, "B", "C"), handoffItems(3, "C", "D")), 9, ""},
		{"a call without its output", join(handoffItems(1, "Triage", "Billing"), `{"type":"function_call","call_id":"x","name":"transfer_to_triage","arguments":""}`), 1, "/pre_handoff_items/2"},
		{"to itself", join(handoffItems(1, "A", "A"), handoffItems(2, "A", "A")), 9, ""},
		{"of JavaScript", strings.NewReplacer("input_history", "inputHistory", "pre_handoff_items", "preHandoffItems", "new_items", "newItems", "raw_item", "rawItem", "call_id", "callId", "function_call_output", "function_call_result", `"output_item","agent"`, `"output_item","sourceAgent"`).
			Replace(join(handoffItems(1, "A", "B"), handoffItems(2, "B", "A"))), 2, "/preHandoffItems/3/rawItem"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var places []string
			for _, f := range problemsOf(parse(t, tt.data), CheckOptions{Window: tt.window}, Bounce) {
				places = append(places, string(f.Pointer))
			}
			if got := strings.Join(places, " "); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

// TestUnfiltered checks that a long history is reported unless the data shows a filter.
func TestUnfiltered(t *testing.T) {
	said := strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"Well?"},`, 3), ",")
	whole := data("["+said+"]", "", transfer(1, "B"))
	nested := data("["+string(pythonSpelling.appendMessage(nil, "assistant", "", preamble+"\n"+DefaultStart+"\n1. user: Hi\n"+DefaultEnd))+","+said+"]", "", transfer(1, "B"))
	for _, tt := range []struct {
		name, data string
		items      int
		want       bool
	}{
		{"whole", whole, 4, true},
		{"as many as may be", whole, 5, false},
		{"not asked for", whole, 0, false},
		{"a text counts as one", data(`"Hi"`, said, transfer(1, "B")), 5, true},
		{"what is not given does not count", data("["+said+"]", "", transfer(1, "B")+`,{"type":"tool_approval_item"}`), 5, false},
		{"another list in place of the new items", strings.TrimSuffix(whole, "}") + `,"input_items":[]}`, 1, false},
		{"nested", nested, 1, false},
		{"no handoff", data("["+said+"]", said, ""), 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := problemsOf(parse(t, tt.data), CheckOptions{MaxItems: tt.items}, Unfiltered)
			if (len(found) == 1) != tt.want || tt.want && found[0].Pointer != "/new_items/0" {
				t.Errorf("found %+v", found)
			}
		})
	}
}
