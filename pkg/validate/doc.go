// Package validate checks a handoff message as its receiver must (EAAPL-MAG006, sections 6.1 and 7.2). It
// runs layers in order and stops at the first that fails. The safety scan runs even after completeness or
// budget has failed: by section 6.1 a sender retries after incomplete context, but never after a safety
// violation.
//
// A [Validator] runs the layers on a [message.Message] and returns a [Result]: valid, or the
// specification's reason with its findings, each with its place in the original text. Invalid messages are
// results, not errors. A [Schema] checks any JSON document by any JSON Schema.
//
// Messages of other systems are checked in the same layers, if [Options].Formats allows them: by their own
// schema, then by the rules of their system (packages sw4rm, macp and openai), then for safety.
package validate
