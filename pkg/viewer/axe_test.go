package viewer

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// A violation is what axe finds wrong with a page.
type violation struct {
	ID    string   `json:"id"`
	Help  string   `json:"help"`
	Nodes []string `json:"nodes"`
}

// TestAccessible asks axe whether each view keeps to WCAG 2.2 AA and its best practices, at both widths,
// light and dark.
func TestAccessible(t *testing.T) {
	axe := axeScript(t)
	url := written(t, sample())
	for _, l := range looks {
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

// check asks axe about what is shown.
func (b *tab) check(name string) {
	b.Helper()
	found := eval[[]violation](b, `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
		.then((r) => r.violations.map((v) => ({id: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 300) + " " + n.failureSummary)})))`)
	for _, v := range found {
		b.Errorf("%s: %s: %s\n%s", name, v.ID, v.Help, fmt.Sprint(v.Nodes))
	}
}

// axeScript installs axe-core, and returns its text. Where that cannot be done, the test is skipped, unless
// CI is set.
func axeScript(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it installs axe-core")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "testdata", "oracles", "axe"))); err != nil {
		t.Fatal(err)
	}
	install := exec.Command("npm", "ci", "--no-fund", "--no-audit", "--ignore-scripts")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("npm ci: %v\n%s", err, out)
		}
		t.Skipf("npm ci: %v: axe-core is not asked about the page\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
