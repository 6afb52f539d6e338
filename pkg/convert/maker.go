package convert

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/rfc3339"
)

// A maker makes up what a format asks for and the source does not have. The same source
// and seed give the same values.
type maker struct {
	seed, budget string
	source       node
	made         []MadeUp
	// restoring is for the translation of what carries a residue: values then stand in
	// for carried ones and come from nothing, but for those at places that are known.
	restoring bool
	known     map[string]bool
	stood     []string // places at which a value stood in
	calls     []node   // items for results that have no call
}

// standsIn reports whether the value at a place stands in for a carried one.
func (k *maker) standsIn(pointer string) bool { return k.restoring && !k.known[pointer] }

// up makes up a value.
func (k *maker) up(pointer string, value node, rule string) node {
	if k.standsIn(pointer) {
		k.stood = append(k.stood, pointer)
	} else {
		k.made = append(k.made, MadeUp{Pointer: pointer, Value: value.compact(), Rule: rule})
	}
	return value
}

// reveal has the values made up that stood in for carried ones at places that do not get
// them, and reports whether there are any.
func (k *maker) reveal(missed []string) bool {
	any := false
	for _, pointer := range k.stood {
		if slices.ContainsFunc(missed, func(m string) bool { return strings.HasPrefix(pointer+"/", m+"/") }) {
			k.known[pointer] = true
			any = true
		}
	}
	k.made, k.stood = nil, nil
	return any
}

// unless makes up a value if there is none.
func (k *maker) unless(value node, pointer string, otherwise node, rule string) node {
	if value != none {
		return value
	}
	return k.up(pointer, otherwise, rule)
}

func (k *maker) agent(value node, pointer string) node {
	return k.unless(value, pointer, text("unknown"), "the agent is not known")
}

// hash returns 32 bytes for a place.
func (k *maker) hash(pointer, of string) [sha256.Size]byte {
	parts := []string{k.seed, pointer, of}
	if of == "" {
		parts[2] = k.source.digest().text()
	}
	if k.standsIn(pointer) {
		parts = []string{pointer, of}
	}
	var all []byte
	for _, p := range parts {
		all = append(strconv.AppendInt(all, int64(len(p)), 10), ':')
		all = append(all, p...)
	}
	return sha256.Sum256(all)
}

// uuid makes up a UUID of version 4 by its form: from an identifier that is none, or, if
// that is empty, from the whole source.
func (k *maker) uuid(pointer, of string) node {
	rule := "SHA-256 of the seed, the member and the source, as a UUID"
	if of != "" {
		rule = "SHA-256 of the seed, the member and the source's identifier, as a UUID"
	}
	h := k.hash(pointer, of)
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	s := hex.EncodeToString(h[:16])
	return k.up(pointer, text(s[:8]+"-"+s[8:12]+"-"+s[12:16]+"-"+s[16:20]+"-"+s[20:]), rule)
}

// trace makes up a traceparent.
func (k *maker) trace(pointer string) node {
	h := k.hash(pointer, "")
	h[0], h[16] = h[0]|1, h[16]|1 // zeros alone are invalid
	s := "00-" + hex.EncodeToString(h[:16]) + "-" + hex.EncodeToString(h[16:24]) + "-00"
	return k.up(pointer, text(s), "SHA-256 of the seed, the member and the source; not sampled")
}

// identifier keeps a UUID of version 4 and makes one of anything else.
func (k *maker) identifier(value node, pointer string) node {
	if isUUID(value.str()) {
		return value
	}
	return k.uuid(pointer, value.str())
}

func isUUID(s string) bool {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	b, err := hex.DecodeString(s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:])
	return err == nil && b[6]>>4 == 4 && b[8]>>6 == 2
}

// time keeps a date-time, and otherwise takes that of the latest turn that has one.
func (k *maker) time(m meaning, pointer string) node {
	if t := m.values[rowTime]; isTime(t) {
		return t
	}
	if !k.standsIn(pointer) {
		for _, t := range slices.Backward(m.turns) {
			if at := t.get("timestamp"); isTime(at) {
				return k.up(pointer, text(at.str()), "the time of the latest turn that has one")
			}
		}
	}
	return k.up(pointer, text("1970-01-01T00:00:00Z"), "no time is known: the Unix epoch")
}

// complete returns the meaning with what the canonical message requires.
func (k *maker) complete(m meaning) meaning {
	v := &m.values
	v[rowHandoff] = k.identifier(v[rowHandoff], "/handoffId")
	v[rowTask] = k.identifier(v[rowTask], "/taskId")
	v[rowFrom] = k.agent(v[rowFrom], "/fromAgent/agentId")
	v[rowTo] = k.agent(v[rowTo], "/toAgent/agentType")
	v[rowTime] = k.time(m, "/timestamp")
	v[rowDescription] = k.unless(v[rowDescription], "/taskDescription", text("INITIAL"), "the task is not known: the word for a first handoff (section 7.2)")
	if v[rowCompleted] == none {
		v[rowCompleted] = k.completed(m)
	}
	for i, r := range rows {
		if v[i] != none || i == rowCost {
			continue
		}
		switch r.kind {
		case jsonstream.Array:
			v[i] = array()
		case jsonstream.Object:
			v[i] = object()
		default:
			v[i] = text("")
		}
	}
	if v[rowCost] == none {
		budget := numeral(cmp.Or(k.budget, "0"))
		rule := "the costs are not known; without a remaining budget the receiver must not execute (section 6.1)"
		if k.budget != "" {
			rule = "the costs are not known; the remaining budget is the one that was given"
		}
		v[rowCost] = k.up("/costTracking", object(
			member{name: "costSpentSoFarUSD", value: number(0)},
			member{name: "costBudgetRemainingUSD", value: budget},
			member{name: "tokenSpent", value: object(member{name: "prompt", value: number(0)}, member{name: "completion", value: number(0)})},
		), rule)
	}
	return m
}

// completed returns the completed subtasks of a source that has none: one, if the task is
// not the first.
func (k *maker) completed(m meaning) node {
	if m.values[rowDescription].str() == "INITIAL" || k.standsIn("/completedSubtasks") {
		return array()
	}
	return k.up("/completedSubtasks", array(object(
		member{name: "subtaskId", value: text("before")},
		member{name: "description", value: text("The work before this handoff")},
	)), "a handoff that is not the first has completed subtasks (section 6.1)")
}

// session returns the meaning with what a session of MACP's handoff mode requires.
func (k *maker) session(m meaning) meaning {
	v := &m.values
	if v[rowHandoff] == none {
		v[rowHandoff] = k.uuid(offerMessage+"/payload/handoff_id", "")
	}
	if v[rowTask] == none {
		v[rowTask] = k.uuid("/session_id", "")
	}
	v[rowFrom] = k.agent(v[rowFrom], offerMessage+"/sender")
	to, from := v[rowTo].str(), v[rowFrom].str()
	switch {
	case to == "" && from == "unknown":
		v[rowTo] = k.up(offerMessage+"/payload/target_participant", text("unknown-target"), "the agent is not known, and is not the sender (rule 7)")
	case to == "":
		v[rowTo] = k.agent(none, offerMessage+"/payload/target_participant")
	case to == from:
		v[rowTo] = k.up(offerMessage+"/payload/target_participant", text(to+"-target"), "the target is not the sender (rule 7)")
	}
	v[rowTime] = k.time(m, offerMessage+"/timestamp")
	if v[rowDescription] == none {
		v[rowDescription] = text("")
	}
	return m
}

// millisOf returns a date-time as Unix milliseconds, if it is a whole number of them.
func millisOf(n node) (node, bool) {
	t, ok := rfc3339.Parse(n.str())
	if !ok || t.Nanosecond()%int(time.Millisecond) != 0 {
		return none, false
	}
	return number(t.UnixMilli()), true
}
