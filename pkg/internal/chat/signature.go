package chat

import "github.com/eaapl/handoff/pkg/internal/tree"

// Gemini signs texts and calls. The place of a signature in its OpenAI-compatible API:
// https://ai.google.dev/gemini-api/docs/thought-signatures, "OpenAI compatibility". The caller of a call by
// Claude has a place beside it.
const (
	extra       = "extra_content"
	signatureAt = "/" + extra + "/google/thought_signature"
	callerAt    = "/" + extra + "/anthropic/caller"
)

// signatureOf returns the signature of a canonical text or call, None if there is none.
func signatureOf(n tree.Node) tree.Node {
	if n.Get(extra) == tree.None {
		return tree.None
	}
	return stringOr(n.At(signatureAt))
}

// callerOf returns the [Part.Caller] of a canonical call, None if there is none.
func callerOf(call tree.Node) tree.Node {
	if call.Get(extra) == tree.None {
		return tree.None
	}
	return objectOr(call.At(callerAt))
}

func objectOr(n tree.Node) tree.Node {
	if isObject(n) {
		return n
	}
	return tree.None
}

// signed returns a canonical text or call with its signature, if any.
func signed(n, signature tree.Node) tree.Node {
	if signature == tree.None {
		return n
	}
	return n.Set(signatureAt, signature)
}

// IsSigned reports whether a canonical text or call has a signature or a caller, which only its provider
// accepts.
func IsSigned(n tree.Node) bool { return n.Get(extra) != tree.None }

// Gemini is the [Part].Provider of signatures by Gemini.
const Gemini = "gemini"

// GeminiText returns a text or thought of Gemini, with its signature if any.
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
