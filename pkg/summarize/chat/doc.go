// Package chat summarises with a language model, at any endpoint for OpenAI's chat
// completions (section 6.4 of EAAPL-MAG006).
//
// The turns are data for the model and never instructions: they are in the user's
// message, under the heading that section 10.1 asks for and between lines that carry a
// hash of what they enclose, so that no turn can write such a line. Turns that exceed the
// model's window are summarised in several calls, each of which folds in the summary so
// far.
//
// Only [Options] say where the conversation goes and with which key: redirects do not. Requests
// are those of package webclient, with the proxy of the environment. No error, and no formatted value of a [Summarizer],
// contains the key; nor does an error quote the conversation, even if the endpoint does.
package chat
