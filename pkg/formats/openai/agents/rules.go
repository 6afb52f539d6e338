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
		Summary: "The file does not define agents, or has a member that the SDK does not know.",
		Why: "The schema openai-agents-1 describes the definitions: agents with a name, and handoffs that name an agent. A misspelled member would be ignored, and the agents would not behave as defined. " +
			"Members that begin with x- are allowed for other data.",
		Bad:  `{"agents": [{"name": "Triage", "handoff": ["Billing"]}]}`,
		Good: `{"agents": [{"name": "Triage"}]}`,
	}, {
		ID:      ruleRepeated,
		Summary: "Two agents have the same name.",
		Why:     "Handoffs and their outputs refer to agents by name, so a reference to one of the two is ambiguous. Give one of them another name.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": ["Billing"]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}, {"name": "Billing", "handoff_description": "Refunds payments."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["Billing"]},
  {"name": "Billing", "handoff_description": "Explains invoices, takes and refunds payments."}]}`,
	}, {
		ID:      ruleTarget,
		Summary: "A handoff or start names an agent that is not defined.",
		Why:     "The target of the handoff does not exist. Write the exact name of the agent, or define the agent.",
		Bad:     `{"agents": [{"name": "Triage", "handoffs": ["billing"]}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["Billing"]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
	}, {
		ID:      ruleUnreachable,
		Summary: "An agent cannot be reached from the first agent.",
		Why: "No run can reach it. A handoff is missing or disabled, or the agent is no longer needed. A run starts with the agent that start names, or with the first one. " +
			"Handoffs with is_enabled: false do not count; handoffs with a condition do.",
		Bad: `{"agents": [{"name": "Triage"},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["Billing"]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
		Severity: finding.Warning,
	}, {
		ID:      ruleCycle,
		Summary: "Agents can hand over only in a cycle, without a condition.",
		Why: "A model that is unsure hands over, so the task may go around the cycle endlessly, at a cost each time. The SDK does not stop it before max_turns. " +
			"To end the cycle, add a handoff to an agent outside it, or a condition to one of its handoffs, such as context.transfers < 3. An agent may answer instead of handing over, but is not forced to.",
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
		Summary: "The API does not accept the name of a handoff's tool.",
		Why:     "The name of a function must have 1 to 64 ASCII letters, digits, _ or -. Otherwise the API rejects the whole request. Without tool_name_override, the name is derived from the agent's name.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": [{"agent": "Billing", "tool_name_override": "ask billing"}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": [{"agent": "Billing", "tool_name_override": "ask_billing"}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
	}, {
		ID:      ruleSameTool,
		Summary: "Two handoffs have the same tool name, or a handoff has the name of another tool.",
		Why: "By default, the name is transfer_to_ and the agent's name in lower case, with _ for each character that is not an ASCII letter or digit, so two agents with similar names may get the same tool name. If one agent has both tools, the SDK or the API uses only one of them, or rejects them. " +
			"If two agents have them, the history does not show the target of a handoff. Two handoffs to the same agent may have the same name if both have a condition. Use tool_name_override.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": ["Card Billing", "Card-Billing"]},
  {"name": "Card Billing", "handoff_description": "Explains invoices and takes payments."},
  {"name": "Card-Billing", "handoff_description": "Blocks cards that are lost or stolen."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": ["Card Billing", {"agent": "Card-Billing", "tool_name_override": "block_card"}]},
  {"name": "Card Billing", "handoff_description": "Explains invoices and takes payments."},
  {"name": "Card-Billing", "handoff_description": "Blocks cards that are lost or stolen."}]}`,
	}, {
		ID:      ruleInputType,
		Summary: "The input type of a handoff cannot be made strict.",
		Why:     "The SDK converts every input type to a strict schema, and raises an error if that is impossible. handoff openai tool does the same conversion.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": [{"agent": "Billing", "input_type": {"type": "object", "additionalProperties": true}}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": [{"agent": "Billing", "input_type": {"type": "object", "properties": {"invoice": {"type": "string"}}}}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
	}, {
		ID:      ruleEnabled,
		Summary: "is_enabled is a string that is not a valid condition.",
		Why: `It must be true, false, or an expression over the run context: context.user_tier == "premium" and not context.suspended. Expressions have ==, !=, <, <=, >, >=, and, or, not, parentheses, strings in quotes, numbers, true, false, null, and members of the context. ` +
			"For a more complex condition, have the program evaluate it and put the result into the context.",
		Bad: `{"agents": [{"name": "Triage", "handoffs": [{"agent": "Billing", "is_enabled": "user_tier is premium"}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
		Good: `{"agents": [{"name": "Triage", "handoffs": [{"agent": "Billing", "is_enabled": "context.user_tier == \"premium\""}]},
  {"name": "Billing", "handoff_description": "Explains invoices and takes payments."}]}`,
	}}
}
