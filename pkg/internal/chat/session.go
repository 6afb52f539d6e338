package chat

import (
	"strings"

	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// CarriedType is the type of the line with carried data in a session of a coding agent. No agent knows it, and all
// ignore such lines.
const CarriedType = "handoff"

// LineHolder returns the holder of carried data for a format whose messages are lines: the member carried of the
// last line, in the list at a place.
func LineHolder(at func(message tree.Node) string) exchange.Holder {
	return exchange.Holder{
		HolderAt: at,
		Pack: func(carried tree.Node) tree.Node {
			return Object("type", tree.String(CarriedType), "carried", carried)
		},
		Unpack: func(line tree.Node) (tree.Node, bool) {
			carried := line.Get("carried")
			return carried, carried != tree.None && line.Get("type").Text() == CarriedType
		},
		Last: true,
	}
}

// OtherZone is the zone of times in a session for turns without a time. The agents write their own times in Z, so
// that these times are not read back as times of turns: see [OwnTime].
const OtherZone = "+00:00"

// Epoch is the time in a session if none is known.
const Epoch = "1970-01-01T00:00:00.000" + OtherZone

// OwnTime returns the timestamp of a line, None if it has none or has one in [OtherZone].
func OwnTime(line tree.Node) tree.Node {
	if at := line.Get("timestamp"); tree.IsString(at) && !strings.HasSuffix(at.Text(), OtherZone) {
		return at
	}
	return tree.None
}

// TurnTime returns the time of a turn. A turn without a time gets the one at which its new session began, in
// [OtherZone], or [Epoch].
func (w *Writing) TurnTime(turn, began tree.Node) tree.Node {
	if at := turn.Get("timestamp"); exchange.IsTime(at) {
		return at
	}
	if at, ok := strings.CutSuffix(began.Text(), "Z"); ok && w.Maker.IsFresh() {
		return tree.String(at + OtherZone)
	}
	return tree.String(Epoch)
}

// SessionID returns the id of a session, which is at a place: that of the message, or one that is made up. A
// restored session gets a fixed one.
func (w *Writing) SessionID(pointer string) tree.Node {
	switch id := w.Values[exchange.RowHandoff]; {
	case !w.Maker.IsFresh():
		return tree.String("00000000-0000-4000-8000-000000000000")
	case id == tree.None:
		return w.Maker.UUID(pointer, "")
	default:
		return w.Maker.Identifier(id, pointer)
	}
}
