package viewer

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// shown are the views of a page of [sample], by their hashes.
var shown = []struct{ name, hash, ready string }{
	{"overview", "", ".tasks .rows .row"},
	{"tree", "task=" + forkedID, ".handoffs .rows .row"},
	{"timeline", "view=timeline&task=" + forkedID, ".timeline .rows .row"},
	{"agents", "view=agents&task=" + forkedID, ".spenders .rows .row"},
	{"boundaries", "view=boundaries&task=" + forkedID, ".boundaries .rows .row"},
	{"filtered", "q=liability&status=COMPLETED&task=" + forkedID, ".handoffs .rows .row"},
	{"received", "handoff=a1", ".turn"},
	{"changes", "handoff=a1&tab=changes", ".change"},
	{"findings", "handoff=a1&tab=findings", ".finding"},
	{"json", "handoff=a1&tab=json&at=message:/conversationHistoryVerbatim/2/content", ".json .rows .row"},
	{"evidence", "handoff=6e7f936b-cafd-4624-8754-0bafc4e8acb3&tab=evidence", ".record"},
	{"conversation", "handoff=a2", ".turn"},
	{"malformed", "handoff-at=19", ".panel-body .empty"},
	{"carried", "handoff=sw", ".part"},
}

const forkedID = "cc35de8b-6ece-4435-abfd-a60e12baff98"

// TestScreenshots takes a screenshot of each view, for people.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("no folder for pictures is given")
	}
	if err := os.MkdirAll(*screenshots, 0o755); err != nil {
		t.Fatal(err)
	}
	url := written(t, sample())
	for _, l := range looks {
		b := open(t, l, url)
		for _, view := range shown {
			b.show("q=nothing+is+like+this", "#main")
			b.show(view.hash, view.ready)
			if view.name == "conversation" {
				b.click(".call summary")
				eval[bool](b, `document.querySelector(".conversation").scrollIntoView() === undefined`)
			}
			b.picture(view.name + "-" + l.String() + ".png")
		}
		b.keys("?")
		b.picture("keys-" + l.String() + ".png")
		b.quiet()
	}
	b := open(t, wide, url+"#handoff=a1")
	b.says(".panel-body", "Price the uncapped")
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*screenshots, "printed.pdf"), pdf, 0o644); err != nil {
		t.Fatal(err)
	}
}

// picture writes a screenshot to a file of the folder.
func (b *tab) picture(name string) {
	b.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*screenshots, name), picture, 0o644); err != nil {
		b.Fatal(err)
	}
}
