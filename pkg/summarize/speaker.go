package summarize

import (
	"math"
	"strconv"
	"strings"
)

// A speaker is the speaker of a line of a summary, or of a turn.
type speaker struct {
	label string
	turn  int32 // its number in the conversation, 0 if unknown
	mark  byte  // the first letter of its role
	share int   // the thousandths of its worth that a unit of the speaker keeps
	asked bool  // its units are wishes
	wants bool  // it ends with a question
	reply bool  // it answers another speaker's question
	calls bool  // JSON is the arguments of a call
	tool  bool
	// failed reports, for a tool, that its result is a failure, and for a caller, that the result of
	// its call is.
	failed bool
}

// speakerOf returns the speaker of a role, without a label. The user counts most.
func speakerOf(role string, size int) speaker {
	said := speaker{share: dilute(size), mark: 'a'}
	switch role = strings.ToLower(role); role {
	case "user", "human", "system", "developer", "u", "s":
		said.mark = 'u'
		if role[0] == 's' || role[0] == 'd' {
			said.mark = 's'
		}
		said.share = said.share * 160 / 100
		said.asked = size < pasted
	case "tool", "function", "t":
		said.share = said.share * 90 / 100
		said.mark, said.tool = 't', true
	default:
		said.share = said.share * 120 / 100
		said.calls = true
	}
	return said
}

// pasted is the minimum size in bytes of a user's turn to be treated as pasted text instead of a
// wish.
const pasted = 600

// dilute returns a thousand for a short turn, and less for a longer one, nearly in proportion to its
// length, down to a limit: most of a file that was read or pasted, or of an essay, is not about the
// task, however many figures it has, unlike the short lines of people and agents.
func dilute(size int) int {
	const short = 120
	return max(80, int(1000*math.Pow(short/float64(max(size, short)), 0.9)))
}

// speakerOfLine returns the speaker and the rest of a line of an earlier summary. noted reports
// whether the line is part of the fact sheet.
func speakerOfLine(line string) (said speaker, rest string, noted bool) {
	if note, rest, ok := strings.Cut(line, " "); ok && len(note) > 1 && isDigits(note[:len(note)-1]) {
		if turn, err := strconv.Atoi(note[:len(note)-1]); err == nil && turn < 1<<30 {
			said = speakerOf(note[len(note)-1:], 0)
			said.turn = int32(turn)
			return said, rest, true
		}
	}
	who, rest, labelled := strings.Cut(line, ": ")
	if !labelled || len(who) > maxLabel || strings.Count(who, " ") > 1 {
		return speaker{share: 1000, mark: 'a'}, line, false
	}
	who = string(appendClean(nil, who))
	role, _, _ := strings.Cut(who, " ")
	said = speakerOf(role, len(rest)/2) // a line has more than one turn
	said.label = who
	return said, rest, false
}

// maxLabel is the maximum size in bytes of a speaker's name.
const maxLabel = 60

// label returns the label of a turn's speaker.
func label(t Turn) string {
	name := string(appendClean(nil, strings.ReplaceAll(t.Role+" "+t.Name, ":", " ")))
	if len(name) > maxLabel {
		name = strings.ToValidUTF8(name[:maxLabel], "")
	}
	return strings.TrimSpace(name)
}
