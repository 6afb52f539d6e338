// Package validate checks a handoff message as its receiver must (EAAPL-MAG006,
// sections 6.1 and 7.2): in layers, cheapest certainty first, stopping at the first that
// fails. The safety scan runs also after completeness or budget has failed: by section 6.1
// a sender retries after incomplete context, but never after a safety violation.
//
// A [Validator] runs the layers over a [message.Message] and gives a [Result]: valid, or
// the specification's reason with its findings, each with its place in the original text.
// What is wrong with a message is data, never an error of this package. A [Schema] does the
// same for any JSON document and any JSON Schema.
//
// Messages of other systems are checked in the same layers, if [Options].Formats
// allows them: by their own schema, then by the rules of their system (packages sw4rm,
// macp and openai), then for safety.
package validate
