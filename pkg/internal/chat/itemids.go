package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/internal/tree"
)

// maxID is the maximum length of ids in characters, including call ids.
const maxID = 64

// prefixes are the prefixes of ids that a model assigns to messages, calls and reasoning.
var prefixes = map[string]string{"message": "msg", "": "msg", "function_call": "fc", "function_call_output": "fc", "reasoning": "rs"}

// fitItem returns an item with names and ids that the API accepts. ids are the ids of earlier
// items.
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
			item = item.With("status", tree.None) // the progress of a message with an id
		}
	}
	ids[id.Text()] = true
	return item
}

func fitID(id tree.Node) tree.Node { return FitCallID(id, maxID) }

// isID reports whether text is a valid item id.
func isID(text string) bool {
	return text != "" && len(text) <= maxID && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// Lost returns the indexes of reasoning items that the API rejects: those without an id and
// encrypted content, and those with an id that are not followed by the item that they led to.
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

// isLed reports whether reasoning with an id can have led to an item.
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

// FitCallID returns the id of a call or its result with at least one and at most most characters:
// the same id or another one derived from it.
func FitCallID(id tree.Node, most int) tree.Node {
	if text := id.Text(); text == "" || utf8.RuneCountInString(text) > most {
		return tree.String("call_" + digits(text, 24))
	}
	return id
}

// FitToolName returns a tool name that OpenAI accepts: 1 to 64 letters, digits, _ and -. Other
// characters become _, and a name that is too long is cut and ends with distinguishing digits.
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

// digits returns n hexadecimal digits derived from text.
func digits(text string, n int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:n]
}
