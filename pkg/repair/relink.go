package repair

import (
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// unreachable is the rule of package validate that all turns of a session can be reached.
const unreachable = "session/unreachable-turns"

// A relinkedSession is a session whose lines were linked again.
type relinkedSession struct {
	text  []byte // before that
	steps []Step
}

// relink links the turns of a session of Claude Code that cannot be reached from its last line: the line
// that continues without them then follows the last of them.
func (l *relinkedSession) relink(doc *jsonstream.Document, h *history.History) (*jsonstream.Document, *history.History, error) {
	known := h.Layout().Known
	if known == nil || known.Relink == nil || !doc.Root().IsLines() {
		return doc, h, nil
	}
	losses := slices.DeleteFunc(known.Losses(doc.Root().Elements()), func(l format.Loss) bool { return !l.CanRelink() })
	if len(losses) == 0 {
		return doc, h, nil
	}
	draft := jsonstream.NewDraft(doc.Root())
	for _, loss := range losses {
		parent := doc.Root().At(fmt.Sprintf("/%d/uuid", loss.Parent))
		if err := draft.Set(fmt.Sprintf("/%d/parentUuid", loss.Child), parent.Raw()); err != nil {
			return nil, nil, err
		}
		did := fmt.Sprintf("linked the line to line %d: %s before it can be reached again", loss.Parent+1, loss.Count())
		l.steps = append(l.steps, Step{unreachable, fmt.Sprintf("/%d", loss.Child), did})
	}
	l.text = doc.Raw().Bytes
	doc, err := jsonstream.Parse(doc.Raw().With(draft.Bytes()), jsonstream.Unlimited())
	if err != nil {
		return nil, nil, err
	}
	h, err = history.Of(doc, h.Format, jsonstream.Unlimited())
	return doc, h, err
}
