package agents

import (
	"slices"
	"sync"

	"github.com/eaapl/handoff/pkg/finding"
)

// The IDs of the rules of definitions.
const (
	ruleShape        = "openai-agents/shape"
	ruleRepeated     = "openai-agents/repeated-agent"
	ruleTarget       = "openai-agents/unknown-target"
	ruleUnreachable  = "openai-agents/unreachable"
	ruleCycle        = "openai-agents/no-way-out"
	ruleToolName     = "openai-agents/tool-name"
	ruleSameTool     = "openai-agents/one-tool-name"
	ruleInputType    = "openai-agents/input-type"
	ruleEnabled      = "openai-agents/is-enabled"
	ruleUndescribed  = "openai-agents/no-description"
	ruleVague        = "openai-agents/vague-description"
	ruleSimilar      = "openai-agents/similar-descriptions"
	ruleMany         = "openai-agents/many-handoffs"
	ruleGranular     = "openai-agents/fine-grained"
	ruleLongHistory  = "openai-agents/no-input-filter"
	ruleUnknownCall  = "openai-run/unknown-handoff"
	ruleDisabledCall = "openai-run/disabled-handoff"
	ruleForeignTool  = "openai-run/foreign-tool"
	ruleBounce       = "openai-run/bounce"
	ruleUnfiltered   = "openai-run/no-input-filter"
)

// Rules returns the rules of [Check]. The caller owns the slice.
func Rules() []finding.Rule { return complete(slices.Concat(graphRules(), toolRules(), adviceRules())) }

// RunRules returns the rules of [RunChecker], except the rule on the arguments of handoffs,
// [openai.HandoffInput]. Their examples are runs of the agents in the example openai-agents of
// package schemas. The caller owns the slice.
func RunRules() []finding.Rule { return complete(runRules()) }

func complete(rules []finding.Rule) []finding.Rule {
	for i := range rules {
		rules[i].Layer, rules[i].Whole = finding.Protocol, true
		if rules[i].Severity == "" {
			rules[i].Severity = finding.Error
		}
	}
	return rules
}

// severities maps rules to their severities.
var severities = sync.OnceValue(func() map[string]finding.Severity {
	all := map[string]finding.Severity{}
	for _, r := range append(Rules(), RunRules()...) {
		all[r.ID] = r.Severity
	}
	return all
})

func graphRules() []finding.Rule {
	return []finding.Rule{{
		ID:      ruleShape,
		Summary: "The file does not define agents, or a member is none that the SDK knows.",
		Why: "The schema openai-agents-1 says what definitions are: agents with a name, and handoffs that name an agent. A misspelled member would be passed over, and the agents would not do what the file says. " +
			"Members that begin with x- are free.",
		Bad:  `{"agents": [{"name": "Triage", "handoff": ["Billing"]}]}`,
		Good: `{"agents": [{"name": "Triage"}]}`,
	}, {
		ID:      ruleRepeated,
		Summary: "Two agents have the same name.",
		Why:     "Handoffs name agents, and so do their outputs: nobody can tell which of the two is meant. Give one of them another name.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": ["Billing"]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}, {"name": "Billing", "handoff_description": "Refunds payments."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["Billing"]},
  {"name": "Billing", "handoff_description": "Explains invoices, takes and refunds payments."}]}`,
	}, {
		ID:      ruleTarget,
		Summary: "A handoff leads to an agent that is not defined, or start names one.",
		Why:     "There is nobody to hand over to. Write the name as the agent has it, or define the agent.",
		Bad:     `{"agents": [{"name": "Triage", "handoffs": ["billing"]}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["Billing"]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
	}, {
		ID:      ruleUnreachable,
		Summary: "No handoffs lead from the first agent to an agent.",
		Why: "No run ever comes to it: a handoff is missing or disabled, or the agent is no longer needed. A run starts with the agent that start names, or with the first one. " +
			"Handoffs with is_enabled: false lead nowhere; those with a condition do lead on.",
		Bad: `{"agents": [{"name": "Triage"},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["Billing"]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
		Severity: finding.Warning,
	}, {
		ID:      ruleCycle,
		Summary: "Agents hand over in a circle, always, and to nobody else.",
		Why: "A model that is not sure hands on, and the task goes round without end, each time at a cost. The SDK does not stop it before max_turns. " +
			"A way out is a handoff to an agent outside, or a condition on one in the circle, such as context.transfers < 3. An agent may answer in place of handing over; nothing makes it.",
		Bad: `{"agents": [{"name": "Orders", "handoff_description": "Finds orders and changes them.", "handoffs": [{"agent": "Billing", "input_filter": "last_items"}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments.", "handoffs": [{"agent": "Orders", "input_filter": "last_items"}]}]}`,
		Good: `{"agents": [{"name": "Orders", "handoff_description": "Finds orders and changes them.", "handoffs": [{"agent": "Billing", "input_filter": "last_items"}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments.", "handoffs": [{"agent": "Orders", "input_filter": "last_items", "is_enabled": "context.transfers < 3"}]}]}`,
		Severity: finding.Warning,
	}}
}

func toolRules() []finding.Rule {
	return []finding.Rule{{
		ID:      ruleToolName,
		Summary: "The name of a handoff's tool is none that the API takes.",
		Why:     "The name of a function has 1 to 64 letters, digits, _ or -, all of ASCII. The API rejects the whole request otherwise. Without tool_name_override it is made of the agent's name.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": [{"agent": "Billing", "tool_name_override": "ask billing"}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": [{"agent": "Billing", "tool_name_override": "ask_billing"}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
	}, {
		ID:      ruleSameTool,
		Summary: "Two agents get one tool name, or a handoff the name of another tool.",
		Why: "By default the name is transfer_to_ and the agent's name in lower case, with _ for what is no letter or digit of ASCII: agents whose names differ in nothing else get the same. Of two tools of one agent, the SDK or the API takes one, or none; " +
			"of those of different agents, nobody who reads the history can tell where the task went. Two handoffs to one agent may have one name if both have a condition. Use tool_name_override.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": ["Card Billing", "Card-Billing"]},
  {"name": "Card Billing", "handoff_description": "Explains invoices and takes payments."},
  {"name": "Card-Billing", "handoff_description": "Blocks cards that are lost or stolen."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["Card Billing", {"agent": "Card-Billing", "tool_name_override": "block_card"}]},
  {"name": "Card Billing", "handoff_description": "Explains invoices and takes payments."},
  {"name": "Card-Billing", "handoff_description": "Blocks cards that are lost or stolen."}]}`,
	}, {
		ID:      ruleInputType,
		Summary: "The input type of a handoff cannot be made strict.",
		Why:     "The SDK makes every input type a strict schema, and raises an error where it cannot; handoff openai tool says how it is done.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": [{"agent": "Billing", "input_type": {"type": "object", "additionalProperties": true}}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": [{"agent": "Billing", "input_type": {"type": "object", "properties": {"invoice": {"type": "string"}}}}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
	}, {
		ID:      ruleEnabled,
		Summary: "is_enabled is a text that is no condition.",
		Why: `It is true, false, or an expression over the run context: context.user_tier == "premium" and not context.suspended. There are ==, !=, <, <=, >, >=, and, or, not, parentheses, strings in quotes, numbers, true, false, null, and members of the context. ` +
			"What needs more than that is for the program: let it put the answer into the context.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": [{"agent": "Billing", "is_enabled": "user_tier is premium"}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": [{"agent": "Billing", "is_enabled": "context.user_tier == \"premium\""}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
	}}
}
