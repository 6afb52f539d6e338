package viewer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The texts and states that tests read from the page.
const (
	activeRow  = `document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))`
	focusIn    = `document.activeElement.closest(%q) !== null`
	matchCount = `document.querySelector(".toolbar .matches").textContent`
)

// keys presses keys, by the names of package kb: each as one event, so that a page that handles the
// key receives no text.
func (b *tab) keys(keys ...string) {
	b.Helper()
	for _, key := range keys {
		k := kb.Keys[[]rune(key)[0]]
		press := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: k.Key, Code: k.Code, Text: k.Text, WindowsVirtualKeyCode: k.Windows}
		command(b, input.DispatchKeyEvent, press)
		press.Type, press.Text = input.DispatchKeyEventTypeKeyUp, ""
		command(b, input.DispatchKeyEvent, press)
	}
}

func (b *tab) click(selector string) {
	b.Helper()
	b.run(chromedp.Click(chromedp.CSS(selector)))
}

func (b *tab) focus(selector string) {
	b.Helper()
	b.run(chromedp.Focus(chromedp.CSS(selector)))
}

// is checks the value of an expression.
func (b *tab) is(expression, want string) {
	b.Helper()
	b.wait(fmt.Sprintf("String(%s) === %q", expression, want))
}

// says checks that an element has a text.
func (b *tab) says(selector, want string) {
	b.Helper()
	b.wait(fmt.Sprintf("document.querySelector(%q)?.textContent.replaceAll('\\u202f', ' ').includes(%q)", selector, want))
}

func rows(list string) string {
	return fmt.Sprintf("document.querySelectorAll('%s .rows > .row').length", list)
}

// TestByKeyboard uses the page without a mouse.
func TestByKeyboard(t *testing.T) {
	b := open(t, wide, written(t, sample()))
	b.is(`document.querySelector(".tasks").getAttribute("aria-rowcount")`, "4") // with the head
	b.keys("\t")
	b.is(`document.activeElement.className`, "skip")
	b.keys("\r")
	b.is(`document.activeElement.getAttribute("role")`, "grid")
	b.is(activeRow+`.getAttribute("aria-rowindex")`, "2")
	b.keys(kb.ArrowDown)
	b.says(`[aria-selected="true"]`, "3f2a6c1e-invoice-run")
	b.keys("c") // type-ahead
	b.says(`[aria-selected="true"]`, forkedID)
	b.keys("\r")
	b.says("h1", "Score the liability risk of the extracted clauses")
	b.says(".totals", forkedID)

	b.show("task="+forkedID, ".handoffs .row")
	b.focus(".handoffs")
	b.is(rows(".handoffs"), "7")
	b.keys(kb.ArrowLeft) // folds the root
	b.is(rows(".handoffs"), "1")
	b.is(activeRow+`.getAttribute("aria-expanded")`, "false")
	b.keys(kb.ArrowRight, kb.ArrowRight, kb.ArrowDown)
	b.is(rows(".handoffs"), "7")
	b.is(activeRow+`.getAttribute("aria-level")`, "2")
	b.says(`.handoffs [aria-selected="true"]`, "insurance-agent")
	b.keys(kb.ArrowLeft)
	b.says(`.handoffs [aria-selected="true"]`, "finance-agent")
	b.keys(kb.End)
	b.says(`.handoffs [aria-selected="true"]`, "Review the summary")
	b.keys(kb.Home, "\r")

	b.is(`document.activeElement.id`, "panel-title")
	b.says(".panel-body", "Score the liability risk")
	b.keys("j")
	b.says("#panel-title", "finance-agent")
	b.keys("n")
	b.says("#panel-title", "insurance-agent")
	b.keys("k", "p", "p")
	b.says("#panel-title", "legal-analysis-agent")
	b.says("#live", "This is the first handoff.")
	b.focus(`#panel [role="tab"][aria-selected="true"]`)
	b.keys(kb.ArrowRight)
	b.is(`document.querySelector('#panel [aria-selected="true"]').dataset.tab`, "changes")
	b.keys(kb.End)
	b.says(".panel-body", "It holds: verified with the key legal-2026")
	b.keys(kb.Escape)
	b.is(`document.getElementById("panel").hidden`, "true")
	b.is(fmt.Sprintf(focusIn, ".handoffs"), "true")
	b.says(`.handoffs [aria-selected="true"]`, "legal-analysis-agent")

	b.keys("/")
	b.is(`document.activeElement.type`, "search")
	b.keys("l", "i", "a", "b")
	b.is(matchCount, "2 of 7 handoffs match")
	b.says("#live", "2 of 7 handoffs match")
	b.keys(kb.Escape)
	b.is(matchCount, "7 handoffs")
	b.focus(".handoffs")
	b.keys("?")
	b.is(`document.querySelector("dialog").open`, "true")
	b.keys(kb.Escape)
	b.is(`document.querySelector("dialog").open`, "false")

	// Keys of one character can be disabled (WCAG 2.1.4).
	b.show("keys=off&task="+forkedID, ".handoffs .row")
	b.focus(".handoffs")
	b.keys("/")
	b.is(fmt.Sprintf(focusIn, ".handoffs"), "true")
	b.quiet()
}

// TestByMouse opens, folds, filters and copies with the mouse.
func TestByMouse(t *testing.T) {
	b := open(t, wide, written(t, sample()))
	eval[bool](b, `Object.defineProperty(navigator, "clipboard", {value: {writeText: async (text) => { window.copied = text; }}}) === navigator`)
	b.click(".tasks .rows .row")
	b.says("h1", "Score the liability risk of the extracted clauses")
	b.says(".totals", forkedID)
	b.click(".handoffs .rows .row:nth-child(2) .folder")
	b.is(rows(".handoffs"), "6")
	b.says(".hidden-count", "1 handoff folded")
	b.click(".handoffs .rows .row:nth-child(2) .folder")
	b.click(".handoffs .rows .row:nth-child(2) .agents")
	b.says("#panel-title", "finance-agent")
	b.is("location.hash.includes('handoff=a1')", "true")
	b.is(`document.querySelector('#panel [aria-selected="true"]').dataset.tab`, "findings") // it has findings

	b.click(`[data-tab="received"]`)
	b.click(".call summary")
	b.says(".call-body", "liability cap")
	b.says(".call-body mark", "IGNORE ALL PREVIOUS INSTRUCTIONS")
	b.says(".call-body .note-line", "the text of a tool tells the model to disregard its instructions")
	b.wait(`!document.querySelector(".conversation").textContent.includes("without a call")`)
	b.says(".turn .unfold", "Show all 41 lines")
	b.click(".turn .unfold")
	b.wait(`document.querySelector('[data-role="assistent"] .text').textContent.length > 3000`)
	b.says(".code-point", "\u202e") // the character itself is still there
	b.is(`document.querySelector(".code-point").dataset.code`, "U+202E")

	b.click(`[data-tab="changes"]`)
	b.says("del", "liability risk of the extracted")
	b.says("ins", "price of the uncapped")
	b.says(".panel-body", "17 changes")
	b.says(".panel-body", "12 more changes are not on this page")
	b.says(".panel-head", "Credentials in the message are shown as asterisks.")
	b.click(`[data-tab="findings"]`)
	b.says(".panel-body", "the subtask s3")
	b.click(".finding .pointer")
	b.is(`document.querySelector('#panel [role="tab"][aria-selected="true"]').dataset.tab`, "json")
	b.says(".inspector mark", "IGNORE ALL PREVIOUS INSTRUCTIONS")
	b.says(`.json [aria-selected="true"]`, "disregard its instructions")
	b.click(".inspector .copy:nth-of-type(1)")
	b.is("window.copied", "/conversationHistoryVerbatim/2/content")
	b.says("#live", "Copied the pointer.")
	b.click(".inspector .copy:nth-of-type(2)")
	b.is("JSON.parse(window.copied)", toolText)
	b.click(".json-view .toolbar-line .copy")
	b.is("window.copied", sample().details[1].Message)
	b.click(".commands summary")
	b.click(".commands .copy")
	b.is("window.copied", "handoff inspect message.json")
	b.click(`.panel-head [aria-label="Close"]`)
	b.is(`document.getElementById("panel").hidden`, "true")
	b.quiet()
}

// TestNumbersAreText checks that the JSON view shows numbers, order and names as in the message.
func TestNumbersAreText(t *testing.T) {
	p := &pages{index: &Index{Title: "numbers"}}
	p.add(Handoff{ID: "n", Parent: -1}, &Details{Message: `{"z": 9007199254740993, "a": 1e400, "b": 0.10, "z": -0, "10": 1E+2, "2": "caf\u00e9", "__proto__": 1.0}`, Malformed: "twice", Compared: -1})
	p.index.Tasks = []Task{{ID: "t", Count: 1}}
	b := open(t, wide, written(t, p))
	b.show("handoff=n&tab=json", ".json .row")
	b.is(`[...document.querySelectorAll(".json .rows .row")].slice(1).map((r) => r.textContent).join(" | ")`,
		`z: 9007199254740993 | a: 1e400 | b: 0.10 | z: -0duplicate name | 10: 1E+2 | 2: "caf\u00e9" | __proto__: 1.0`)
	b.quiet()
}

// TestJSONSearch searches for names and values.
func TestJSONSearch(t *testing.T) {
	b := open(t, wide, written(t, sample()))
	b.show("handoff=a1&tab=json", ".json .row")
	b.focus("#panel-title")
	b.keys("/")
	b.is(fmt.Sprintf(focusIn, ".json-view"), "true")
	b.keys("c", "l", "a", "u", "s", "e", "i", "d")
	b.says(".json-view .matches", "1 of 2 matches")
	b.says(".inspector", "/currentState/extractedClauses/0/clauseId")
	b.keys("\r")
	b.says(".json-view .matches", "2 of 2 matches")
	b.says(".inspector", "/currentState/extractedClauses/1/clauseId")
	b.click(`[aria-label="Previous match"]`)
	b.says(".json .hit", "clauseId")
	b.quiet()
}

// TestFilters uses all filters, and checks that the link contains them.
func TestFilters(t *testing.T) {
	b := open(t, wide, written(t, sample()))
	for _, tt := range []struct{ hash, want string }{
		{"agent=legal-counsel", "3 of 7 handoffs match"},
		{"agent=legal-counsel&as=sender", "1 of 7 handoffs match"},
		{"agent=archive-agent", "1 of 7 handoffs match"}, // one of several receivers
		{"status=REJECTED", "1 of 7 handoffs match"},
		{"rule=chain%2Fcost", "1 of 7 handoffs match"},
		{"min=0.05", "2 of 7 handoffs match"},
		{"min=0.01&max=0.0199", "2 of 7 handoffs match"},
		{"q=quotation+finance", "1 of 7 handoffs match"},
		{"q=nothing+like+this", "0 of 7 handoffs match"},
		{"status=COMPLETED&agent=risk-scoring-agent&min=0.03", "2 of 7 handoffs match"},
	} {
		for _, view := range []string{"tree", "timeline", "boundaries"} {
			b.show("view="+view+"&task="+forkedID+"&"+tt.hash, ".toolbar")
			b.is(matchCount, tt.want)
		}
	}
	b.show("task="+forkedID, ".handoffs .row")
	b.click(".toolbar [aria-expanded]")
	eval[bool](b, `(() => { const s = [...document.querySelectorAll(".fields select")][2]; s.value = "REJECTED"; return s.dispatchEvent(new Event("change")); })()`)
	b.is(matchCount, "1 of 7 handoffs match")
	b.wait(`location.hash.includes("status=REJECTED")`)
	b.is(rows(".handoffs"), "1")
	b.click(".toolbar-line button:nth-of-type(2)")
	b.is(matchCount, "7 handoffs")

	// A link to the view shows the same in another tab.
	url := eval[string](b, "location.href.split('#')[0]")
	other := open(t, wide, url+"#agent=legal-counsel&view=timeline&handoff=a5&tab=evidence")
	other.says("#panel-title", "report-writer")
	other.is(matchCount, "3 of 7 handoffs match")
	other.is(rows(".timeline"), "3")
	other.says(".panel-body", "4 711 records")
	other.keys(kb.Escape)
	other.is(`document.getElementById("panel").hidden`, "true")
	b.quiet()
	other.quiet()
}

// TestViews checks the contents of the timeline, the agents and the boundaries.
func TestViews(t *testing.T) {
	b := open(t, wide, written(t, sample()))
	b.show("view=timeline&task="+forkedID, ".timeline .row")
	b.says(".timeline .rows", "rejected, rolled back · 1 min")
	b.says(".timeline .rows", "handed over after 2 s, execution failed after 1 min, attempt 2 after 2 min, completed after 4 min")
	b.wait(`document.querySelector(".track .gap").title.startsWith("nothing for 2 h 5")`)
	b.click(".legend-line button")
	b.is(`document.querySelector(".legend-line button").getAttribute("aria-pressed")`, "true")
	b.show("view=agents&task="+forkedID, ".spenders .row")
	b.says(".spenders .rows .row", "legal-analysis-agent1$0.085 6004 2001 400")
	b.focus(".spenders")
	b.keys("\r")
	b.is(matchCount, "1 of 7 handoffs match")
	b.show("view=boundaries&task="+forkedID, ".boundaries .row")
	b.is(rows(".boundaries"), "2")
	b.says(".boundaries .row", "Produce executive risk summary")
	b.is(`[...document.querySelectorAll(".boundaries .row")].map((r) => r.textContent.indexOf("legal-analysis-agent") < r.textContent.indexOf("chain/")).join()`, "true,true")
	b.show("handoff-at=19", ".panel-body .empty")
	b.says(".panel-body .empty", `the name "role" is there twice`)
	b.show("handoff=gone", ".panel-body .empty")
	b.says(".panel-body .empty", "Its personal data was erased")
	b.show("handoff=sw", ".part")
	b.says(".panel-body mark", "two")
	b.says(".panel-body .note-line", "this note is no note")
	b.quiet()
}

// TestNarrow checks that an open handoff covers the list on a narrow screen, and that nothing is
// wider than the screen.
func TestNarrow(t *testing.T) {
	for _, l := range looks[:2] {
		b := open(t, l, written(t, sample()))
		for _, view := range shown {
			b.show(view.hash, view.ready)
			if width := eval[int64](b, "document.documentElement.scrollWidth"); width > l.width {
				t.Errorf("%s is %d pixels wide", view.name, width)
			}
			covered := strings.Contains(view.hash, "handoff")
			b.is(`document.getElementById("top").inert`, fmt.Sprint(covered))
			b.is(`document.getElementById("panel").getAttribute("aria-modal") ?? "none"`, map[bool]string{true: "true", false: "none"}[covered])
		}
		b.quiet()
	}
}

// TestThemes checks that the theme can differ from the system's.
func TestThemes(t *testing.T) {
	b := open(t, wide, written(t, sample()))
	ground := `getComputedStyle(document.body).backgroundColor`
	light := eval[string](b, ground)
	b.click(".theme")
	b.says(".theme", "Theme: light")
	b.is(ground, light)
	b.click(".theme")
	b.says(".theme", "Theme: dark")
	b.wait(ground + fmt.Sprintf(" !== %q", light))
	b.quiet()
}

// TestPrinted checks that all rows are printed.
func TestPrinted(t *testing.T) {
	p := &pages{index: &Index{Title: "long"}}
	p.chain("chain", 300)
	b := open(t, wide, written(t, p))
	b.wait(rows(".handoffs") + " < 60")
	eval[bool](b, `dispatchEvent(new Event("beforeprint"))`)
	b.is(rows(".handoffs"), "300")
	eval[bool](b, `dispatchEvent(new Event("afterprint"))`)
	b.wait(rows(".handoffs") + " < 60")
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
	if err != nil || len(pdf) < 1000 {
		t.Errorf("%d bytes of PDF, error %v", len(pdf), err)
	}
	b.quiet()
}

// TestLongChain checks that a chain of 10,000 keeps its position, and that its end can be reached.
func TestLongChain(t *testing.T) {
	p := &pages{index: &Index{Title: "long"}}
	p.chain("chain", 10_000)
	b := open(t, wide, written(t, p))
	b.focus(".handoffs")
	b.keys(kb.End)
	b.says(`.handoffs [aria-selected="true"]`, "Check invoice 10999 of the batch")
	b.is(activeRow+`.getAttribute("aria-level")`, "1")
	b.is(activeRow+`.getAttribute("aria-rowindex")`, "10001")
	b.wait(rows(".handoffs") + " < 60")
	b.keys("\r")
	b.says("#panel-title", "worker-")
	b.says(".panel-body", "Check invoice 10999")
	b.quiet()
}

// TestWithoutScript checks the text without JavaScript.
func TestWithoutScript(t *testing.T) {
	b := open(t, wide, "about:blank")
	command(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.run(chromedp.Navigate(written(t, sample())))
	text, err := chromedp.Run(b.ctx, chromedp.Text(chromedp.CSS("noscript")))
	if err != nil || !strings.Contains(text, "It needs JavaScript") || !strings.Contains(text, "handoff audit trace") {
		t.Errorf("%q, error %v", text, err)
	}
}

// TestOpensOnTrouble checks that the page opens on the worst finding, with its boundary and its words, and that it
// leads to the findings of its handoff.
func TestOpensOnTrouble(t *testing.T) {
	b := open(t, wide, written(t, sample()))
	b.says(".trouble", "safety/instruction") // injected instructions are the worst of all tasks
	b.says(".trouble .excerpt", "IGNORE ALL PREVIOUS INSTRUCTIONS")
	b.says(".trouble mark", "IGNORE ALL PREVIOUS INSTRUCTIONS")

	// The title of a task is its description; its id is a fact.
	b.show("task=3f2a6c1e-invoice-run", ".handoffs .row")
	b.is(`document.querySelector("h1").textContent === "3f2a6c1e-invoice-run"`, "false")
	b.says(".totals", "3f2a6c1e-invoice-run")

	b.show("task="+forkedID, ".handoffs .row")
	b.is(`document.title`, "Score the liability risk of the extracted clauses – Handoffs of audit.db")
	b.click(".trouble button")
	b.is(`document.querySelector('#panel [aria-selected="true"]').dataset.tab`, "findings")
	b.says("#panel-title", "legal-counsel")
	b.is(`document.activeElement.id`, "panel-title")
	b.keys(kb.Escape)
	b.is(fmt.Sprintf(focusIn, ".trouble"), "true")

	// A handoff with findings opens on them, another one on its message.
	b.focus(".handoffs")
	b.keys(kb.Home, kb.ArrowDown, "\r")
	b.is(`document.querySelector('#panel [aria-selected="true"]').dataset.tab`, "findings")
	b.keys(kb.Escape, kb.Home, "\r")
	b.is(`document.querySelector('#panel [aria-selected="true"]').dataset.tab`, "received")
	b.quiet()

	// With losses only, the boundary is named.
	lost := sample()
	for i := range lost.index.Handoffs {
		h := &lost.index.Handoffs[i]
		if len(h.Lost) == 0 {
			h.Errors, h.Warnings, h.Rules = 0, 0, nil
		}
		lost.details[i].Findings = nil
	}
	b = open(t, wide, written(t, lost))
	b.says(".trouble", "chain/lost-subtask")
	b.says(".trouble .trouble-place", "at the boundary: ")
	b.says(".trouble .trouble-place", "finance-agent")
	b.says(".trouble .message", `the subtask s3, "Produce executive risk summary", is in the sender's message and not in this one`)
	b.quiet()
}
