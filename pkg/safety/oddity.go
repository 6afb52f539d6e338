package safety

import "github.com/eaapl/handoff/internal/view"

// An oddityRule is the rule for one kind of concealment.
type oddityRule struct {
	kind view.OddityKind
	Rule
}

// overloaded reports text too dense in trigger words to be scanned in full. An example would take
// pages.
var overloaded = Rule{
	ID: "safety/overload", Category: Obfuscation, Weight: 0.4,
	Summary: "has so many suspicious words that only a part of it was scanned",
	Why:     "Ordinary text is not like that; an attack may follow the scanned part.",
}

// oddities are the rules without an expression, for the signs of concealment that package view
// finds.
func oddities() []oddityRule {
	return []oddityRule{
		{view.TagRun, Rule{
			ID: "safety/invisible-tags", Category: HiddenText, Weight: 0.9,
			Summary: "contains tag characters, which are invisible",
			Why:     "Tag characters can spell whole sentences, which people do not see and many models read.",
			Bad:     "Nice day.\U000E0073\U000E0065\U000E006E\U000E0064\U000E0020\U000E0069\U000E0074",
			Good:    "Nice day \U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F in York.",
		}},
		{view.SelectorRun, Rule{
			ID: "safety/invisible-selectors", Category: HiddenText, Weight: 0.8,
			Summary: "contains variation selectors without an effect",
			Why:     "A run of them carries data that no person sees.",
			Bad:     "ok\U000E0153\U000E0155\U000E015E\U000E0154\U000E0110\U000E0159",
			Good:    "I \u2764\uFE0F this",
		}},
		{view.ZeroWidth, Rule{
			ID: "safety/zero-width", Category: Obfuscation, Weight: 0.3,
			Summary: "has invisible characters between letters",
			Why:     "They split words, so that filters miss the words and models still read them.",
			Bad:     "i\u200bg\u200bn\u200bo\u200br\u200be",
			Good:    "\U0001F469\u200D\U0001F4BB",
		}},
		{view.Override, Rule{
			ID: "safety/bidi-override", Category: Obfuscation, Weight: 0.3,
			Summary: "overrides the direction of writing",
			Why:     "People and models then read different texts.",
			Bad:     "\u202Eerongi\u202C the list",
			Good:    "\u05E9\u05DC\u05D5\u05DD and hello",
		}},
		{view.MixedScript, Rule{
			ID: "safety/mixed-script", Category: Obfuscation, Weight: 0.2,
			Summary: "spells a Latin word with letters of another script",
			Why:     "Look-alike letters hide words from filters.",
			Bad:     "ign\u043Ere",
			Good:    "\u043C\u0438\u0440 means peace",
		}},
		{view.Stacked, Rule{
			ID: "safety/stacked-marks", Category: Obfuscation, Weight: 0.15,
			Summary: "has many combining marks on a letter",
			Why:     "They hide words from filters and from people.",
			Bad:     "i\u0335\u0336\u0337\u0338\u0321\u0322\u0327g\u0335\u0336\u0337\u0338\u0321\u0322\u0327",
			Good:    "e\u0301",
		}},
	}
}

func oddityRules() []Rule {
	var list []Rule
	for _, o := range oddities() {
		list = append(list, o.Rule)
	}
	return append(list, overloaded)
}

// oddityFinding returns the finding for a sign of concealment.
func oddityFinding(o view.Oddity) (Finding, bool) {
	for _, r := range oddities() {
		if r.kind == o.Kind {
			return Finding{Rule: r.ID, Category: r.Category, Score: r.Weight, Message: r.Summary, Offset: o.Offset, Length: o.Length, Evidence: Evidence{Weight: r.Weight, Field: 1, Mention: 1, Doubt: 1}}, true
		}
	}
	return Finding{}, false
}

func overloadFinding(field Field, at int) Finding {
	factor := fieldFactor(field)
	return Finding{
		Rule: overloaded.ID, Category: overloaded.Category, Score: overloaded.Weight * factor, Message: overloaded.Summary,
		Offset: at, Length: 1, Evidence: Evidence{Weight: overloaded.Weight, Field: factor, Mention: 1, Doubt: 1},
	}
}
