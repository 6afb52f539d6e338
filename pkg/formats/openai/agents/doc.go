// Package agents works on definitions of agents of the OpenAI Agents SDK, as a YAML or JSON
// file: who hands over to whom, by which tool, and when. It finds mistakes in them, says which
// tools a model gets, and holds recorded runs against them.
//
// # Conditions
//
// What the SDK's is_enabled says by a function is here an expression over the run context:
//
//	context.user_tier == "premium" and not context.suspended
//
// An expression has comparisons (== != < <= > >=), and, or, not and parentheses, in that order
// of binding, the last first. Its values are strings in single or double quotes, with the
// escapes of JSON, numbers, true, false, null, and members of the context:
// context.NAME.NAME, or context["any name"]. A member that is not there is null.
//
// Values are equal as those of JSON are: numbers by their value, and never to a string. Only
// two numbers, or two strings by their characters, are less or greater; of other values, such
// a comparison is false. A value alone counts as in Python: null, false, 0, and what is empty
// are false. There is nothing else: no calls, no arithmetic.
package agents
