package macp

import (
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Limits that the reference runtime imposes on a SessionStart in addition to the RFCs.
const (
	runtimeRule     = "macp/runtime"
	modeVersion     = "1.0.0"
	maxTTLMS        = 24 * 60 * 60 * 1000
	maxParticipants = 1000
)

// Advise returns warnings about a SessionStart that conforms to the RFCs but that the reference
// runtime rejects: blank versions or participants, participants whose names differ only in
// surrounding white space, more than 1,000 participants, a mode_version other than 1.0.0, and a
// ttl_ms of more than 24 hours.
func Advise(doc *jsonstream.Document) []Violation {
	t, _ := Read(doc)
	for e := range t.Messages() {
		if start, ok := e.Payload.(*SessionStart); ok {
			payload := e.Value.Get("payload")
			if t.Fixture {
				payload = e.Value
			}
			all := advise(start, payload)
			for i := range all {
				all[i].Index, all[i].MessageID = e.Index, e.MessageID
			}
			return all
		}
	}
	return nil
}

func advise(p *SessionStart, payload jsonstream.Value) []Violation {
	var all []Violation
	warn := func(at jsonstream.Value, expected, found, remedy string) {
		v := violation(runtimeRule, InvalidEnvelope, expected, found, remedy+"; the reference runtime requires it, although no RFC does").at(at)
		v.Severity = finding.Warning
		all = append(all, *v)
	}
	switch v := strings.TrimSpace(p.ModeVersion); {
	case v == "":
		warn(placeOf(payload, "mode_version"), "a mode_version that is not blank", finding.Quote(p.ModeVersion), "write "+modeVersion)
	case p.ModeVersion != modeVersion:
		warn(placeOf(payload, "mode_version"), "mode_version to be "+modeVersion+", that of the handoff mode", finding.Quote(p.ModeVersion), "use that version")
	}
	if strings.TrimSpace(p.ConfigurationVersion) == "" {
		warn(placeOf(payload, "configuration_version"), "a configuration_version that is not blank", finding.Quote(p.ConfigurationVersion), "name the configuration")
	}
	if p.TTLMS > maxTTLMS {
		warn(placeOf(payload, "ttl_ms"), "a ttl_ms of at most 24 hours, "+strconv.Itoa(maxTTLMS), strconv.FormatInt(p.TTLMS, 10), "shorten it")
	}
	if n := len(p.Participants); n > maxParticipants {
		warn(placeOf(payload, "participants"), "at most "+strconv.Itoa(maxParticipants)+" participants", strconv.Itoa(n), "remove some of them")
		return all
	}
	seen := map[string]string{}
	for i, v := range placeOf(payload, "participants").Elements() {
		name := p.Participants[i]
		trimmed := strings.TrimSpace(name)
		if trimmed == "" {
			warn(v, "a participant whose name is not blank", finding.Quote(name), "name the participant")
		} else if other, known := seen[trimmed]; known {
			warn(v, "participants that differ in more than white space", finding.Quote(name)+" and "+finding.Quote(other), "remove or rename one of them")
		}
		seen[trimmed] = name
	}
	return all
}
