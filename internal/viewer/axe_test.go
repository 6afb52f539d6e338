package viewer

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
)

// A violation is a fault of a page that axe reports.
type violation struct {
	ID    string   `json:"id"`
	Help  string   `json:"help"`
	Nodes []string `json:"nodes"`
}

// TestAccessible checks each view with axe against WCAG 2.2 AA and its best practices, at both
// widths, light and dark.
func TestAccessible(t *testing.T) {
	axe := oracle.Axe(t)
	url := written(t, sample())
	for _, l := range looks {
		if !tier.Full() && l != looks[0] {
			continue
		}
		t.Run(l.String(), func(t *testing.T) {
			b := open(t, l, url)
			b.run(chromedp.Evaluate[chromedp.Void](axe))
			for _, view := range shown {
				b.show(view.hash, view.ready)
				b.check(view.name)
			}
			eval[bool](b, `document.querySelectorAll("details").forEach((d) => { d.open = true; }) === undefined`)
			b.show("handoff=a1&tab=received", ".turn")
			eval[bool](b, `document.querySelectorAll("details").forEach((d) => { d.open = true; }) === undefined`)
			b.wait(`document.querySelector(".call-body h4")`)
			b.check("all unfolded")
			b.show("q=nothing+at+all", ".nothing")
			b.check("nothing")
			b.keys("?")
			b.check("keys")
		})
	}
}

// check checks the visible page with axe.
func (b *tab) check(name string) {
	b.Helper()
	found := eval[[]violation](b, `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
		.then((r) => r.violations.map((v) => ({id: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 300) + " " + n.failureSummary)})))`)
	for _, v := range found {
		b.Errorf("%s: %s: %s\n%s", name, v.ID, v.Help, fmt.Sprint(v.Nodes))
	}
}
