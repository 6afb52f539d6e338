package agents

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/formats/openai"
)

// crew defines agents that hand over to each other.
const crew = `
agents:
  - name: Triage
    tools: [find]
    handoffs: [Billing, {agent: Desk, is_enabled: context.tier == "premium"}, {agent: Archive, is_enabled: false}, {agent: Vault, input_filter: last_items}]
  - name: Billing
    handoffs: [{agent: Triage, input_type: {type: object, properties: {reason: {type: string}}, required: [reason]}}]
    tools: [refund]
  - name: Desk
  - name: Archive
  - name: Vault
`

// A script is a run, with a letter for each event.
//
//	u        the user says something
//	a        the agent says something
//	h:NAME   a call of the handoff to NAME, and its output
//	c:TOOL   a call of a tool and its output; TOOL(ARGUMENTS) with arguments
//	i:TOOL   a call of a handoff that the SDK ignores
//	o:TOOL   a call without an output
//	by:NAME  as c:find, in a run item of the agent NAME
func script(text string) string {
	var items []string
	for i, word := range strings.Fields(text) {
		kind, name, _ := strings.Cut(word, ":")
		name, arguments, _ := strings.Cut(name, "(")
		call := func(tool string) string {
			return fmt.Sprintf(`{"type": "function_call", "call_id": "c%d", "name": %q, "arguments": %q}`, i, tool, strings.TrimSuffix(arguments, ")"))
		}
		output := func(text string) string {
			return fmt.Sprintf(`{"type": "function_call_output", "call_id": "c%d", "output": %q}`, i, text)
		}
		switch kind {
		case "u":
			items = append(items, `{"role": "user", "content": "Hello"}`)
		case "a":
			items = append(items, `{"role": "assistant", "content": "Hello"}`)
		case "h":
			items = append(items, call("transfer_to_"+strings.ToLower(name)), output(`{"assistant": "`+name+`"}`))
		case "c":
			items = append(items, call(name), output("done"))
		case "i":
			items = append(items, call(name), output("Multiple handoffs detected, ignoring this one."))
		case "o":
			items = append(items, call(name))
		case "by":
			items = append(items, `{"type": "tool_call_item", "agent": {"name": "`+name+`"}, "raw_item": `+call("find")+`}`, output("done"))
		default:
			panic(word)
		}
	}
	return `{"input_history": "Hello", "pre_handoff_items": [` + strings.Join(items, ",\n") + `], "new_items": []}`
}

func TestCheckRun(t *testing.T) {
	d := define(t, crew)
	for _, tt := range []struct {
		name, script, context string
		o                     RunOptions
		want                  []string
	}{
		{name: "as defined", script: `a c:find h:Billing c:refund a`},
		{name: "a handoff of another agent", script: "h:Billing h:Desk", want: []string{`/2 run/unknown-handoff: "Billing" has no handoff "transfer_to_desk", which belongs to "Triage"`}},
		{name: "a handoff of nobody", script: "h:Sales", want: []string{`/0 run/unknown-handoff: "Triage" has no handoff "transfer_to_sales", and no other agent has it`}},
		{name: "an agent that is not defined", script: "h:Sales c:refund h:Desk", want: []string{`/0 run/unknown-handoff: "Triage" has no handoff "transfer_to_sales", and no other agent has it`}},
		{name: "disabled", script: "h:Archive", want: []string{`/0 run/disabled-handoff: the handoff "transfer_to_archive" of "Triage" is disabled (is_enabled is false)`}},
		{name: "a condition that may hold", script: "h:Desk"},
		{name: "a condition that holds", script: "h:Desk", context: `{"tier": "premium"}`},
		{name: "a condition that does not hold", script: "h:Desk", context: `{}`, want: []string{`/0 run/disabled-handoff: the handoff "transfer_to_desk" of "Triage" is disabled (not "context.tier == \"premium\"")`}},
		{name: "the tool of another agent", script: "h:Billing c:find", want: []string{`/2 run/foreign-tool: "Billing" has no tool "find", which belongs to "Triage"`}},
		{name: "the tool of the next agent", script: "c:refund", want: []string{`/0 run/foreign-tool: "Triage" has no tool "refund", which belongs to "Billing"`}},
		{name: "a tool that is not defined", script: "c:search"},
		{name: "another first agent", script: "c:refund", o: RunOptions{First: d.Agent("Billing")}},
		{name: "a run item says whose it is", script: "by:Billing", want: []string{`/0/raw_item run/foreign-tool: "Billing" has no tool "find", which belongs to "Triage"`}},
		{name: "arguments", script: `h:Billing a a a a u h:Triage({"reason":1})`, want: []string{`/7/arguments openai/handoff-input: the input of the handoff "transfer_to_triage" does not match its input_type`}},
		{name: "no arguments", script: `h:Billing u h:Triage`, want: []string{`/3/arguments openai/handoff-input: the input of the handoff "transfer_to_triage" does not match its input_type`}},
		{name: "right arguments", script: `h:Billing u h:Triage({"reason":"x"})`},
		{name: "arguments that are not JSON", script: `h:Billing u h:Triage({)`},
		{name: "a bounce", script: `h:Billing a h:Triage({"reason":"x"})`, want: []string{`/4 run/bounce: the task went "Triage" → "Billing" → "Triage" within 3 items`}},
		{name: "outside the window", script: `h:Billing a a a a h:Triage({"reason":"x"})`},
		{name: "a longer window", script: `h:Billing a a a a h:Triage({"reason":"x"})`, o: RunOptions{Window: 6}, want: []string{`/7 run/bounce: the task went "Triage" → "Billing" → "Triage" within 6 items`}},
		{name: "the user speaks", script: `h:Billing u h:Triage({"reason":"x"})`},
		{name: "a long history", script: `a a a h:Billing`, o: RunOptions{MaxItems: 5}, want: []string{`/4 run/no-input-filter: "Triage" hands over 6 items to "Billing", more than 5, and the definition has no filter`}},
		{name: "as long as it may be", script: `a a a h:Billing`, o: RunOptions{MaxItems: 6}},
		{name: "a long history that is filtered", script: `a a a h:Vault`, o: RunOptions{MaxItems: 5}},
		{name: "ignored by the SDK", script: `i:transfer_to_billing c:find`},
		{name: "without an output", script: `o:transfer_to_billing c:find`, want: []string{`/1 run/foreign-tool: "Billing" has no tool "find", which belongs to "Triage"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.context != "" {
				tt.o.Context = parse(t, tt.context).Root()
			}
			c, err := d.NewRunChecker(tt.o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range c.Check(parse(t, script(tt.script)).Root()) {
				message, _, _ := strings.Cut(f.Message, ": ")
				got = append(got, strings.TrimPrefix(f.Pointer, "/pre_handoff_items")+" "+strings.TrimPrefix(f.Rule, "openai-")+": "+message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTransfers(t *testing.T) {
	d := define(t, crew)
	for text, want := range map[string]string{
		"a c:find":                      "",
		"h:Billing":                     "Triage→Billing",
		"h:Billing h:Triage h:Archive":  "Triage→Billing Billing→Triage Triage→Archive",
		"h:Sales h:Billing":             "Triage→! →Billing!",
		"i:transfer_to_billing h:Desk":  "Triage→Desk",
		"o:transfer_to_billing":         "Triage→Billing",
		"by:Billing h:Triage h:Billing": "Billing→Triage Triage→Billing",
		"h:Billing h:Billing":           "Triage→Billing Billing→Billing!",
	} {
		data := script(text)
		nested, err := openai.Nest(nil, parse(t, data).Root(), openai.NestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range []string{data, string(nested)} {
			if run == string(nested) && strings.HasPrefix(text, "by:") {
				continue // a summary does not name the agent of an item
			}
			var got []string
			for _, transfer := range d.Transfers(parse(t, run).Root(), RunOptions{}) {
				shown := transfer.From + "→" + transfer.To
				if transfer.Handoff == nil {
					shown += "!" // not a defined handoff
				} else if transfer.Handoff.From.Name != transfer.From || transfer.Handoff.Name != transfer.To {
					t.Errorf("%s: by the handoff of %s to %s", shown, transfer.Handoff.From.Name, transfer.Handoff.Name)
				}
				got = append(got, shown)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %q, want %q\n%s", text, got, want, run)
			}
		}
	}
}

// TestTransfersOnce checks that a run that is in a summary and in the lists counts once.
func TestTransfersOnce(t *testing.T) {
	d := define(t, crew)
	data := strings.Replace(script("h:Billing"), `"pre_handoff_items"`, `"input_items": null, "new_items"`, 1)
	data = strings.Replace(data, `, "new_items": []}`, `, "pre_handoff_items": []}`, 1)
	nested, err := openai.Nest(nil, parse(t, data).Root(), openai.NestOptions{})
	if err != nil || strings.Count(string(nested), "transfer_to_billing") != 2 {
		t.Fatalf("%s, %v", nested, err)
	}
	if got := d.Transfers(parse(t, string(nested)).Root(), RunOptions{}); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestRunCheckerRefusesInputTypes(t *testing.T) {
	for _, input := range []string{`{type: 1}`, `{$ref: "https://example.com/x.json"}`} {
		d := define(t, "agents: [{name: A, handoffs: [{agent: B, input_type: "+input+"}]}, {name: B}]")
		if _, err := d.NewRunChecker(RunOptions{}); err == nil || !strings.Contains(err.Error(), `input_type of the handoff of "A" to "B"`) {
			t.Errorf("%s: %v", input, err)
		}
	}
}
