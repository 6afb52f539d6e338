package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/session"
)

// siteDifference describes how the folder and the branch of a session and its conversion differ, "" if they are
// equal. The conversion may have the branch of an earlier one.
func siteDifference(before, after *session.Session, moves []move, to *target) string {
	if want := apply(moves, before.Folder); want != after.Folder && want != "" {
		return fmt.Sprintf("its working folder is %q, and would be %q", want, after.Folder)
	}
	if before.Branch != "" && before.Branch != after.Branch && !to.noBranch {
		return fmt.Sprintf("its branch is %q, and would be %q", before.Branch, after.Branch)
	}
	return ""
}

// difference describes the first turn of a session that is missing in its conversion, "" if there is none. The
// conversion may have more: summaries and texts of the program become texts of the user.
func difference(before, after *session.Session) string {
	for _, kind := range []string{"user", "assistant", "call", "tool"} {
		now := textsOf(after, kind)
		for i, text := range textsOf(before, kind) {
			n := slices.Index(now, text)
			if n < 0 {
				return fmt.Sprintf("%s %d would be missing: %s", nouns[kind], i+1, term.Visible(session.Clip(text, 100)))
			}
			now = now[n+1:]
		}
	}
	return ""
}

var nouns = map[string]string{"user": "request", "assistant": "line", "call": "call", "tool": "result"}

// textsOf returns the requests, lines of answers, calls or results of a session, in order. The agents divide responses
// in different ways, so the lines of the assistant are compared.
func textsOf(s *session.Session, kind string) (all []string) {
	for _, t := range s.Turns {
		switch {
		case kind == "call":
			for _, call := range t.Calls {
				if call.ID != "" { // a call that the API itself ran becomes text
					all = append(all, call.Tool+" "+canonical(call.Input))
				}
			}
		case t.Role != kind:
		case kind == "assistant":
			for line := range strings.SplitSeq(withoutSizes(t.Text), "\n") {
				if line = strings.TrimSpace(line); line != "" {
					all = append(all, line)
				}
			}
		default:
			all = append(all, withoutSizes(t.Text))
		}
	}
	return all
}

// withoutSizes returns a text without the kinds and sizes of its images and files, which have other encodings in each
// format.
func withoutSizes(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if kind, _, ok := strings.Cut(line, " of "); ok && strings.HasSuffix(line, " bytes]") && slices.Contains([]string{"[image", "[file", "[document"}, kind) {
			lines[i] = "[file]"
		}
	}
	return strings.Join(lines, "\n")
}

// canonical returns the canonical form of a call's input: conversions keep the values of arguments, not their
// order and white space, and put the text of a custom tool into a member "input".
func canonical(in string) string {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(in)), jsonstream.Unlimited())
	if err != nil {
		return in
	}
	if text := doc.Root().Get("input"); text.Kind() == jsonstream.String && doc.Root().Len() == 1 {
		return text.Text()
	}
	form, err := jsonstream.AppendCanonical(nil, doc.Root(), jsonstream.CanonicalOptions{})
	if err != nil { // a number without a canonical form
		return in
	}
	return string(form)
}
