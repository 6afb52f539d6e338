package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/internal/tree"
)

// maxID is how many characters ids have at most, also those of calls.
const maxID = 64

// prefixes are what the ids of items begin with that a model made of texts, calls and thoughts.
var prefixes = map[string]string{"message": "msg", "": "msg", "function_call": "fc", "function_call_output": "fc", "reasoning": "rs"}

// fitItem returns an item with names and ids that the API takes. ids are those of the items before
// it.
func fitItem(item tree.Node, ids map[string]bool) tree.Node {
	kind := item.Get("type").Text()
	switch kind {
	case "function_call":
		item = item.Mapped("call_id", fitID).Mapped("name", FitToolName)
	case "function_call_output":
		item = item.Mapped("call_id", fitID)
	case "message", "":
		if item.Get("name") != tree.None {
			item = item.With("name", tree.None)
		}
	}
	id := item.Get("id")
	if id == tree.None || kind == "item_reference" {
		return item
	}
	prefix, known := prefixes[kind]
	if known && !(isID(id.Text()) && strings.HasPrefix(id.Text(), prefix)) || ids[id.Text()] {
		item = item.With("id", tree.None)
		if prefix == "msg" {
			item = item.With("status", tree.None) // says how far a message with an id is
		}
	}
	ids[id.Text()] = true
	return item
}

func fitID(id tree.Node) tree.Node { return FitCallID(id, maxID) }

// isID reports whether a text can be the id of an item.
func isID(text string) bool {
	return text != "" && len(text) <= maxID && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// Lost returns the indexes of items of reasoning that the API refuses: of what it cannot know again,
// and of what is known by an id and is not followed by the item that it led to.
func Lost(items []tree.Node) map[int]bool {
	var lost map[int]bool
	next := tree.None
	for i, item := range slices.Backward(items) {
		if item.Get("type").Text() == "reasoning" {
			known := tree.IsString(item.Get("id"))
			if !known && !tree.IsString(item.Get("encrypted_content")) || known && !isLed(next) {
				if lost == nil {
					lost = map[int]bool{}
				}
				lost[i] = true
				continue
			}
		}
		next = item
	}
	return lost
}

// isLed reports whether an item can be what reasoning with an id led to.
func isLed(item tree.Node) bool {
	switch kind := item.Get("type").Text(); {
	case item == tree.None:
		return false
	case kind == "message", kind == "":
		return item.Get("role").Text() == "assistant" && item.Get("id") != tree.None
	default:
		return !strings.HasSuffix(kind, "_output")
	}
}

// FitCallID returns the id of a call, or of its result, that has no more than some characters, and
// at least one: itself or, the same for the same one, another.
func FitCallID(id tree.Node, most int) tree.Node {
	if text := id.Text(); text == "" || utf8.RuneCountInString(text) > most {
		return tree.String("call_" + digits(text, 24))
	}
	return id
}

// FitToolName returns the name of a tool as OpenAI takes one: 1 to 64 letters, digits, _ and -.
// Other characters become _, and a name that is too long ends with digits that tell it from others.
func FitToolName(name tree.Node) tree.Node {
	const most = 64
	text := name.Text()
	fit := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, text)
	switch {
	case fit == "":
		fit = "unknown"
	case len(fit) > most:
		fit = fit[:most-9] + "_" + digits(text, 8)
	}
	if fit == text {
		return name
	}
	return tree.String(fit)
}

// digits returns n hexadecimal digits for a text.
func digits(text string, n int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:n]
}
