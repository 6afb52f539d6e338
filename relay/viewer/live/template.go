package live

import (
	"embed"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/relay/audit"
)

//go:embed assets
var assets embed.FS

// style returns the style sheet of all pages except the pages of tasks.
func style() template.CSS { return styles() }

var styles = sync.OnceValue(func() template.CSS {
	own, err := assets.ReadFile("assets/live.css")
	if err != nil {
		panic("reading what is embedded: " + err.Error())
	}
	return template.CSS(viewer.Style() + string(own))
})

// pages returns the templates of all pages.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"plain": plain, "clock": clock, "grouped": grouped, "percent": percent, "short": short,
		"class": class, "taskURL": taskURL, "letterURL": letterPath, "person": person,
	}).ParseFS(assets, "assets/*.html"))
})

// personFields are the fields for a person's name and reason.
type personFields struct{ Name, By, Reason, WrongBy, WrongReason string }

// person returns the fields of one of the two forms of a letter, with the input if that form was sent.
func person(f form, discards bool) personFields {
	fields := personFields{Name: map[bool]string{false: "release", true: "discard"}[discards]}
	if f.Discards == discards {
		fields.By, fields.Reason, fields.WrongBy, fields.WrongReason = f.By, f.Reason, f.Wrong["by"], f.Wrong["reason"]
	}
	return fields
}

// plain returns a text with invisible characters, and characters that change the display of others, replaced
// by their code points.
func plain(s string) string {
	hidden := func(c rune) bool {
		return c != ' ' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || unicode.IsSpace(c) || c == unicode.ReplacementChar)
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if hidden(c) {
			fmt.Fprintf(&b, "⟨%U⟩", c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// clock returns a time as displayed on pages.
func clock(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(time.DateTime)
}

// grouped returns an integer with its digits in groups.
func grouped(n any) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func percent(rate float64) string { return fmt.Sprintf("%.2f %%", 100*rate) }

// short returns a duration with three digits.
func short(d time.Duration) string {
	unit := time.Duration(1)
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}

// class returns the CSS class of an event.
func class(e audit.Event) string {
	switch e {
	case audit.Rejected, audit.ExecutionFailed, audit.DeadLettered, audit.Escalated:
		return "bad"
	case audit.RolledBack, audit.Duplicate, audit.Discarded, audit.Erased, audit.Revoked, audit.Refused:
		return "doubt"
	case audit.Accepted, audit.HandedOver, audit.Completed, audit.Acknowledged, audit.Released:
		return "good"
	default:
		return "plain"
	}
}

// taskURL returns the address of the page of a task, with a handoff opened; "" for no task.
func taskURL(task, handoff string) string {
	address := "/task?" + url.Values{"id": {task}}.Encode()
	if handoff != "" {
		address += "#" + url.Values{"handoff": {handoff}}.Encode()
	}
	return address
}

func letterPath(name string) string { return "/letters/" + url.PathEscape(name) }
