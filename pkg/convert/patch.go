package convert

import (
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A patch restores a message from the view of its translation. It applies only to values that have not
// changed since; it keeps other changes and reports a miss.
type patch struct {
	members []entry // the differences outside the turns
	turns   []hunk
	text    recodedText
	signed  tree.Digest // of the data that the message's signature covers
}

// A recodedText is the text of an object that this package would encode differently.
type recodedText struct {
	of   tree.Digest // the object
	text tree.Node
}

// patchOf returns the patch that restores a message of a format from the view of its translation.
func patchOf(s side, given, message tree.Node) patch {
	want := s.view(message)
	both := s.bothLists(given, want)
	p := patch{turns: alignTurns(given, want, s.lists, both), members: differences(given, want, both)}
	if s.Signature != nil && message.Get(s.Signature[0]) != tree.None {
		p.signed = message.With(s.Signature[0], tree.None).Digest()
	}
	if s.Encoded != "" {
		original := s.Original(message)
		if o := want.At(s.Encoded); o.Get("form").Text() == exchange.FormBase64 && !tree.Same(exchange.Shut(o), original) {
			p.text = recodedText{o.Get("value").Digest(), original}
		}
	}
	if got, _ := p.apply(s, given); !tree.Same(got, message) {
		p.turns = nil
		p.members = []entry{{"", given.Digest(), want}} // the view as a whole
	}
	return p
}

// apply restores the message from the view of its translation. It skips changes that no longer apply, and
// returns their places.
func (p patch) apply(s side, given tree.Node) (message tree.Node, missed []string) {
	view, missed := applyTurns(given, s.lists, p.turns)
	view, more := apply(view, p.members, false)
	missed = append(missed, more...)
	if !view.Is(jsonstream.Object) {
		view = given
	}
	if p.text.text != tree.None && s.Encoded != "" {
		if value := view.At(s.Encoded + "/value"); value != tree.None && value.Digest() == p.text.of {
			view = view.Set(s.Encoded, exchange.Opened(exchange.FormRaw, p.text.text))
		}
	}
	message = s.message(view)
	if p.signed == (tree.Digest{}) || s.Signature == nil || message.Get(s.Signature[0]) == tree.None {
		return message, missed
	}
	if bare := message.With(s.Signature[0], tree.None); bare.Digest() != p.signed {
		return bare, append(missed, "/"+s.Signature[0])
	}
	return message, missed
}
