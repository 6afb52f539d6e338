package validate

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// A question compares an SDK with this package on one aspect of histories.
type question struct {
	name    string // of the oracle and its aspect
	format  format.Format
	forms   []string
	part    func(whole jsonstream.Value) []byte                                           // the input of the SDK
	formed  bool                                                                          // only for documents that our schema accepts
	says    func(t *testing.T, a oracle.Answer) (said string, asked bool)                 // the SDK's verdict
	finds   func(t *testing.T, d *jsonstream.Document, a oracle.Answer) []finding.Finding // our verdict
	refuses []difference
	takes   []difference
}

// Faults of a history that SDKs reject, beyond wrong types, are found by our schemas, the rules of the format
// and the rules of the provider, except for the listed differences.
func TestSDKs(t *testing.T) {
	program := oracle.New(t)
	for _, q := range slices.Concat(langChainQuestions, geminiQuestions, a2aQuestions, itemQuestions) {
		t.Run(q.name, func(t *testing.T) {
			docs := histories(t, q.format, q.forms, q.part)
			c := comparison{refuses: q.refuses, takes: q.takes, counts: map[string]int{}}
			name, _, _ := strings.Cut(q.name, " ")
			var options []string
			if name == "gemini" {
				options = []string{"untyped"} // TestTypes checks its types
			}
			for i, answer := range program.Start(t, name, options...).Ask(docs...) {
				doc := parseJSON(t, docs[i])
				said, asked := q.says(t, answer)
				switch {
				case q.formed && len(schemaOf(q.format).Check(doc.Root())) > 0:
					c.counts["not asked about: our schema refuses it"]++
				case !asked:
					c.counts["not asked about: the SDK does not come so far"]++
				default:
					c.compare(t, said, q.finds(t, doc, answer), doc.Root(), wholeAt(i))
				}
			}
			c.report(t)
		})
	}
}

// turns returns the turns of a history.
func turns(f format.Format) func(whole jsonstream.Value) []byte {
	return func(whole jsonstream.Value) []byte { return formats.Named(f).Known.List(whole).Raw() }
}

// answers returns the verdict of one check of an oracle, or that the document could not be sent.
func answers(name string) func(*testing.T, oracle.Answer) (string, bool) {
	return func(_ *testing.T, a oracle.Answer) (string, bool) {
		said, asked := a.Checks[name]
		if read := a.Checks["read"]; !asked && read != "" {
			return read, true
		}
		return said, asked || name == "read"
	}
}

// sent returns the data that an SDK sends, a member of its answer.
func sent(t *testing.T, a oracle.Answer, name string) *jsonstream.Document {
	t.Helper()
	return parseJSON(t, parseJSON(t, a.Raw).Root().Get(name).Raw())
}

func providerFinds(doc *jsonstream.Document, f format.Format, p provider.Provider, rules ...string) []finding.Finding {
	return slices.DeleteFunc(checkProviders(doc, f, []provider.Provider{p}, jsonstream.Limits{}), func(f finding.Finding) bool {
		return !slices.Contains(rules, strings.TrimPrefix(f.Rule, string(p)+"/"))
	})
}

func depth(v jsonstream.Value) int { return strings.Count(v.Pointer(), "/") }

// top returns the root of a value's document.
func top(v jsonstream.Value) jsonstream.Value {
	for v.Parent().Exists() {
		v = v.Parent()
	}
	return v
}

var langChainQuestions = []question{
	{
		name: "langchain read", format: format.LangChain, forms: chatgen.Forms(format.LangChain), part: ofJavaScript, says: answers("read"),
		finds: func(_ *testing.T, doc *jsonstream.Document, _ oracle.Answer) []finding.Finding {
			return append(schemaOf(format.LangChain).Check(doc.Root()), langChainFinds(doc, "langchain/arguments")...)
		},
		refuses: []difference{
			{"JavaScript has classes in langchain_core.messages alone", func(v jsonstream.Value) bool {
				return v.Name() == "id" && v.Kind() == jsonstream.Array && !strings.HasPrefix(string(v.Raw()), `["langchain_core","messages",`)
			}},
			{"null as the metadata of a response is not read", func(v jsonstream.Value) bool {
				return v.Name() == "response_metadata" && v.Kind() == jsonstream.Null
			}},
		},
		takes: []difference{{"the type, role or class of a message is looked at, and not what it is made of", func(v jsonstream.Value) bool {
			known := v.Name() == "type" || v.Name() == "role" || v.Name() == "lc" || v.Name() == "id" && v.Parent().Get("lc").Exists()
			return depth(v) > 2 || depth(v) == 2 && !known || depth(v) == 1 && !v.Get("content").Exists()
		}}},
	},
	integration("openai", provider.OpenAIChat),
	integration("responses", provider.OpenAIResponses),
	integration("anthropic", provider.Anthropic),
}

// integration returns a question about an integration of LangChain: does it send calls without results, and
// results without calls, as --for assumes?
func integration(name string, p provider.Provider) question {
	rules := []string{"call-without-result", "result-without-call", "result-place", "repeated-result"}
	if p == provider.Anthropic { // two messages of the same calls are one in the request, which is a fault of its order, too
		rules = append(rules, "repeated-call-id")
	}
	contradicting := difference{"content has other calls than tool_calls, of which it sends one: langchain/contradicting-calls", func(v jsonstream.Value) bool {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(top(v).Raw()), jsonstream.Limits{})
		return err == nil && len(langChainFinds(doc, "langchain/contradicting-calls")) > 0
	}}
	anotherType := difference{"of a stored or dumped message, the type inside is not looked at", func(v jsonstream.Value) bool {
		for _, message := range top(v).Elements() {
			outer, inner := message.Get("type").Text(), message.At("/data/type")
			if class := message.At("/id/2").Text(); class != "" {
				outer, inner = strings.ToLower(strings.TrimSuffix(class, "Message")), message.At("/kwargs/type")
			}
			if inner.Exists() && inner.Text() != outer {
				return true
			}
		}
		return false
	}}
	return question{
		name: "langchain " + name, format: format.LangChain, forms: []string{"constructor", "stored", "flat", "state"}, part: ofJavaScript, formed: true,
		says: func(t *testing.T, a oracle.Answer) (string, bool) {
			if a.Checks["read"] != "" || a.Checks[name] != "" {
				return a.Checks[name], a.Checks["read"] == ""
			}
			for _, f := range providerFinds(sent(t, a, name), format.Format(p), p, rules...) {
				return "sends " + f.Message, true
			}
			return "", true
		},
		finds: func(_ *testing.T, doc *jsonstream.Document, _ oracle.Answer) []finding.Finding {
			return providerFinds(doc, format.LangChain, p, rules...)
		},
		refuses: []difference{
			contradicting, anotherType,
			{"JavaScript sends no invalid call, as Python does", func(v jsonstream.Value) bool {
				return v.Name() == "invalid_tool_calls" && v.Len() > 0
			}},
			{"JavaScript does not expect that the reasoning of a response is no item", func(v jsonstream.Value) bool {
				return name == "responses" && v.Name() == "reasoning" && v.Parent().Name() == "additional_kwargs" && v.Kind() != jsonstream.Object
			}},
			{"a block that is a text, as Python takes it", func(v jsonstream.Value) bool {
				return v.Kind() == jsonstream.String && v.Parent().Name() == "content"
			}},
			{"an image has the URL of none", func(v jsonstream.Value) bool {
				return (v.Name() == "url" || v.Name() == "image_url" && v.Kind() == jsonstream.String) && !strings.HasPrefix(v.Text(), "data:")
			}},
		},
		takes: []difference{contradicting, anotherType, {"JavaScript sends no invalid call, as Python does", func(v jsonstream.Value) bool {
			return v.Parent().Parent().Name() == "invalid_tool_calls"
		}}, {"LangChain's own blocks of server tools are not sent", func(v jsonstream.Value) bool {
			return strings.HasPrefix(v.Parent().Get("type").Text(), "server_tool_")
		}}, {"JavaScript sends no tools of MCP servers, as langchain-anthropic for Python does", func(v jsonstream.Value) bool {
			return name == "anthropic" && strings.HasPrefix(v.Parent().Get("type").Text(), "mcp_tool_")
		}}},
	}
}

func langChainFinds(doc *jsonstream.Document, rule string) []finding.Finding {
	return slices.DeleteFunc(formats.Named(format.LangChain).Check(doc, jsonstream.Limits{}), func(f finding.Finding) bool { return f.Rule != rule })
}

// ofJavaScript returns the messages of a history with the class names of JavaScript: it rejects the names in
// Python's dumps.
func ofJavaScript(whole jsonstream.Value) []byte {
	return []byte(strings.ReplaceAll(string(turns(format.LangChain)(whole)), `["langchain","schema","messages",`, `["langchain_core","messages",`))
}

var geminiQuestions = []question{
	{
		name: "gemini chat", format: format.Gemini, forms: []string{"contents", "body"}, part: turns(format.Gemini), says: answers("chat"),
		finds: func(_ *testing.T, doc *jsonstream.Document, _ oracle.Answer) []finding.Finding {
			return append(aroundParts(doc), providerFinds(doc, format.Gemini, provider.Gemini, "role")...)
		},
		refuses: []difference{
			{"a turn has a role; the API takes one without for the user's", func(v jsonstream.Value) bool {
				return depth(v) == 1 && v.Get("role").Text() == ""
			}},
			unlikeParts,
		},
		takes: []difference{anyPart, {"a turn of the model without parts is left out, with that of the user before it", func(v jsonstream.Value) bool {
			return v.Name() == "parts"
		}}},
	},
	{
		name: "gemini generate", format: format.Gemini, forms: []string{"contents", "body"}, part: turns(format.Gemini), says: answers("generate"),
		finds: func(_ *testing.T, doc *jsonstream.Document, _ oracle.Answer) []finding.Finding {
			return slices.DeleteFunc(aroundParts(doc), func(f finding.Finding) bool { return strings.HasSuffix(f.Pointer, "/role") })
		},
		refuses: []difference{unlikeParts},
		takes:   []difference{anyPart},
	},
	{
		name: "adk", format: format.Gemini, forms: []string{"events", "session"}, part: turns(format.Gemini), formed: true, says: answers("contents"),
		finds: func(_ *testing.T, doc *jsonstream.Document, _ oracle.Answer) []finding.Finding {
			last := "" // of the events that the model gets
			for i, event := range doc.Root().Elements() {
				if event.At("/content/role").Text() != "" && !beginsEmpty(event.Get("content")) {
					last = "/" + strconv.Itoa(i) + "/"
				}
			}
			return slices.DeleteFunc(providerFinds(doc, format.Gemini, provider.Gemini, "result-without-call"), func(f finding.Finding) bool {
				return last == "" || !strings.HasPrefix(f.Pointer, last)
			})
		},
		refuses: []difference{
			{"calls are found by their ids alone, which the API does not ask for", func(v jsonstream.Value) bool {
				return (v.Name() == "functionCall" || v.Name() == "functionResponse") && v.Get("id").Text() == ""
			}},
			{"calls are found among those of their author alone", func(v jsonstream.Value) bool {
				return v.Name() == "author" && v.Text() != "user" && v.Text() != "shop_agent"
			}},
			{"an event without a role, or that begins with an empty text, is left out with its calls", func(v jsonstream.Value) bool {
				return v.Name() == "content" && (v.Get("role").Text() == "" || beginsEmpty(v))
			}},
		},
		takes: []difference{{"of several results of an event, one that has a call is enough", func(v jsonstream.Value) bool {
			for v.Exists() && v.Name() != "parts" {
				v = v.Parent()
			}
			return v.Len() > 1
		}}},
	},
}

var (
	unlikeParts = difference{"turns with parts are not mixed with those without", func(v jsonstream.Value) bool {
		return depth(v) == 1 && v.Get("parts").Kind() != jsonstream.Array
	}}
	anyPart = difference{"a part is of any kind", func(v jsonstream.Value) bool { return v.Parent().Name() == "parts" }}
)

// aroundParts returns the findings of the schema in contents, but outside their parts.
func aroundParts(doc *jsonstream.Document) []finding.Finding {
	return slices.DeleteFunc(schemaOf(format.Gemini).Check(doc.Root()), func(f finding.Finding) bool {
		v := doc.Root().At(f.Pointer)
		return depth(v) > 3 || depth(v) == 3 && v.Kind() == jsonstream.Object
	})
}

func beginsEmpty(content jsonstream.Value) bool {
	text := content.At("/parts/0/text")
	return text.Kind() == jsonstream.String && text.Text() == ""
}

var a2aQuestions = []question{
	{
		name: "a2a send", format: format.A2A, forms: []string{"message", "request", "message 0.3"}, part: sentByA2A,
		says: func(t *testing.T, a oracle.Answer) (string, bool) {
			said, asked := answers("send")(t, a)
			if strings.Contains(said, "JSON-RPC -32001: Task not found") { // the server has none
				said = ""
			}
			return said, asked
		},
		finds: a2aFinds,
		takes: []difference{
			{"a messageId is made a text", func(v jsonstream.Value) bool { return v.Name() == "messageId" }},
			{"of 1.0, the messageId alone is looked at", func(v jsonstream.Value) bool {
				return !isOld(top(v)) && (depth(v) > 0 || v.Get("messageId").Exists())
			}},
			{"of 0.3, the messageId, the role, the parts and their kinds are looked at", func(v jsonstream.Value) bool {
				switch {
				case !isOld(top(v)):
					return false
				case depth(v) == 0:
					return v.Get("messageId").Exists() && v.Get("role").Exists() && v.Get("parts").Exists()
				case v.Parent().Name() == "parts":
					return v.Get("kind").Exists()
				default:
					return v.Name() != "role" && v.Name() != "parts" && (v.Name() != "kind" || depth(v) == 1)
				}
			}},
		},
	},
	{
		name: "a2a get", format: format.A2A, forms: []string{"task", "response", "task 0.3", "response 0.3"}, part: sentByA2A, says: answers("get"),
		finds: a2aFinds,
		refuses: []difference{{"the file of a part of 0.3 is lost, and data that are null", func(v jsonstream.Value) bool {
			return v.Get("kind").Text() == "file" || v.Name() == "data" && v.Kind() == jsonstream.Null
		}}},
		takes: []difference{{"what is not known is left out, and what is missing is empty, but the id of the task", func(v jsonstream.Value) bool {
			return depth(v) > 0 || v.Get("id").Text() != ""
		}}},
	},
}

func a2aFinds(_ *testing.T, doc *jsonstream.Document, _ oracle.Answer) []finding.Finding {
	return schemaOf(format.A2A).Check(doc.Root())
}

// isOld reports whether the SDK treats a message as version 0.3: its kind is truthy in JavaScript.
func isOld(message jsonstream.Value) bool {
	return !slices.Contains([]string{"", `""`, "null", "0"}, string(message.Get("kind").Raw()))
}

// sentByA2A returns the message or task of a request or response.
func sentByA2A(whole jsonstream.Value) []byte {
	for _, pointer := range []string{"/params/message", "/result/task", "/result"} {
		if v := whole.At(pointer); v.Exists() {
			return v.Raw()
		}
	}
	return whole.Raw()
}
