package chat

import "github.com/eaapl/handoff/pkg/internal/tree"

// Gemini signs texts and calls. Its API in the form of OpenAI's has a signature there:
// https://ai.google.dev/gemini-api/docs/thought-signatures, "OpenAI compatibility".
const (
	extra       = "extra_content"
	signatureAt = "/" + extra + "/google/thought_signature"
)

// signatureOf returns the signature of a canonical text or call, nothing if there is none.
func signatureOf(n tree.Node) tree.Node {
	if n.Get(extra) == tree.None {
		return tree.None
	}
	return stringOr(n.At(signatureAt))
}

// signed returns a canonical text or call with a signature, if there is one.
func signed(n, signature tree.Node) tree.Node {
	if signature == tree.None {
		return n
	}
	return n.Set(signatureAt, signature)
}

// IsSigned reports whether a canonical text or call has what only the provider takes that signed it.
func IsSigned(n tree.Node) bool { return n.Get(extra) != tree.None }

// Gemini is the [Part].Provider of what Gemini signs.
const Gemini = "gemini"

// GeminiText returns a text as Gemini has it, or a thought, with its signature if there is one.
func GeminiText(text, signature tree.Node, thought bool) Part {
	p := Part{Kind: Text, Text: text, Signature: signature}
	if thought {
		p.Kind = Reasoning
		if signature != tree.None {
			p.Provider = tree.String(Gemini)
		}
	}
	return p
}
