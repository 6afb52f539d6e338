// Package agents works on agent definitions for the OpenAI Agents SDK in a YAML or JSON file:
// the agents, their handoff tools, and the conditions of their handoffs. It finds mistakes in
// definitions, lists the tools of a model, and checks recorded runs against the definitions.
//
// # Conditions
//
// In place of a function for the SDK's is_enabled, a definition has an expression over the run
// context:
//
//	context.user_tier == "premium" and not context.suspended
//
// An expression has parentheses, comparisons (== != < <= > >=), not, and, and or, in order of
// precedence, highest first. Its values are strings in single or double quotes, with
// the escapes of JSON, numbers, true, false, null, and members of the context:
// context.NAME.NAME, or context["any name"]. A missing member is null.
//
// Values are equal if they are equal in JSON: numbers by their value, and never to a string.
// Only two numbers, or two strings by their characters, are ordered; for other values, < and
// the like are false. The truth of a value is as in Python: null, false, 0 and empty values are
// false. There are no calls and no arithmetic.
package agents
