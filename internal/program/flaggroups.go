package program

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A flagGroup is a group of flags in the help of commands with many flags.
type flagGroup struct {
	title string
	names string
}

// flagGroups are the groups in the order of the help. A flag has the same meaning in all commands, and so the
// same group; flags without a group come first.
var flagGroups = []flagGroup{
	{"What to check", "agent-type all assume-utc expect for layers max-visits off privacy schema schema-name schema-registry severity strict tolerance"},
	{"Receiver and keys", "answer-key-file answer-trust as clock-skew key-file max-age personal-data receiver require-state subject-keys"},
	{"Safety scanner", "allow classifier-cmd classifier-from classifier-timeout pass-env rules threshold"},
	{"Summarizer", "summarizer summarizer-cmd summarizer-fallback summarizer-model summarizer-prices summarizer-reasoning summarizer-timeout summarizer-url summarizer-window summary-tokens"},
	{"Input", "each format-in max-depth max-message-bytes max-ratio"},
	{"Records and transport", "archive-dir audit-log auto ca claim-check queue retries store wait"},
	{"Server", "allow-origin host listen metrics tls-cert tls-key token-file"},
	{"Alerts", "alert-cmd alert-timeout alert-url escalate-after rejected-per-day"},
	{"Report", "excerpt keep-layout no-excerpt report reject pass max-findings"},
	{"Output", "color format format-out help in-place output pretty quiet verbose"},
}

// manyFlags is the number of flags from which a command's help groups them.
const manyFlags = 12

// grouped returns the flags by group, or nil if the flags are few. If there is a report, the flags for output are
// in its group.
func grouped(local, inherited *pflag.FlagSet) (titles []string, groups map[string]*pflag.FlagSet) {
	n := 0
	local.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			n++
		}
	})
	if n < manyFlags {
		return nil, nil
	}
	groups = map[string]*pflag.FlagSet{}
	reports := local.Lookup("report") != nil
	add := func(f *pflag.Flag) {
		title := groupOf(f.Name)
		if title == "Output" && reports {
			title = "Report"
		}
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
		}
		groups[title].AddFlag(f)
	}
	local.VisitAll(add)
	inherited.VisitAll(add)
	for _, g := range append([]flagGroup{{title: "Flags"}}, flagGroups...) {
		if groups[g.title] != nil {
			titles = append(titles, g.title)
		}
	}
	return titles, groups
}

func groupOf(name string) string {
	for _, g := range flagGroups {
		if slices.Contains(strings.Fields(g.names), name) {
			return g.title
		}
	}
	return "Flags"
}
