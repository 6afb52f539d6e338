// Package chat summarises with a language model, at any endpoint for OpenAI's chat completions
// (section 6.4 of EAAPL-MAG006).
//
// The turns are data for the model and never instructions: they are in the user's message, under the
// heading required by section 10.1 and between lines with a hash of the enclosed text, so that no
// turn can forge such a line. Turns that exceed the model's window are summarised in several calls,
// each of which includes the summary so far.
//
// Only [Options] determine the destination and the key. The request is sent by handoff-relay: see
// package webpost. No error, and no formatted value of
// a [Summarizer], contains the key; nor does an error quote the conversation, even if the endpoint
// does.
package chat
