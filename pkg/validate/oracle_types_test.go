package validate

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

var oracleHistories = flag.Int("histories", tier.Count(6, 300), "how many histories TestTypes and TestSDKs ask each SDK about")

// A difference is an intended difference between the verdicts of an SDK and ours.
type difference struct {
	why string
	of  func(v jsonstream.Value) bool // selects the affected values of a document
}

// Documents that SDKs reject only by their types are rejected by our closed schemas, except for the listed
// differences. The rest of a request is not checked.
func TestTypes(t *testing.T) {
	program := oracle.New(t)
	for _, tt := range []struct {
		oracle  string
		format  format.Format
		forms   []string
		words   map[string][]string // values of members that our schema leaves open
		refuses []difference        // the types reject, and our closed schema accepts
		takes   []difference        // the types accept, and our closed schema rejects
	}{
		{
			"openai-chat", format.OpenAIChat, chatgen.Forms(format.OpenAIChat),
			map[string][]string{"detail": {"auto", "low", "high"}, "format": {"wav", "mp3"}},
			[]difference{{"only the user says images, audio and files", func(v jsonstream.Value) bool {
				kind, turn := v.Get("type").Text(), v.Parent().Parent()
				return slices.Contains([]string{"image_url", "input_audio", "file"}, kind) && turn.Get("role").Text() != "user" ||
					kind == "refusal" && turn.Get("role").Text() != "assistant"
			}}},
			nil,
		},
		{
			"openai-responses", format.OpenAIResponses, chatgen.Forms(format.OpenAIResponses),
			map[string][]string{"detail": {"auto", "low", "high", "original"}, "status": {"in_progress", "completed", "incomplete", "failed"}},
			[]difference{
				{"the API takes what a model made without its id, status and annotations", func(v jsonstream.Value) bool {
					return v.Get("role").Text() == "assistant" && v.Get("content").Kind() == jsonstream.Array && (!v.Get("id").Exists() || v.Get("status").Kind() != jsonstream.String) ||
						v.Get("type").Text() == "output_text" && !v.Get("annotations").Exists() || v.Get("type").Text() == "reasoning" && !v.Get("id").Exists()
				}},
				{"the API takes an image without its detail", func(v jsonstream.Value) bool {
					return v.Get("type").Text() == "input_image" && !v.Get("detail").Exists()
				}},
				{"a status is one of its item", func(v jsonstream.Value) bool { return v.Name() == "status" }},
				{"what is in the data of a hosted tool or of a call that is no function call is not looked at", func(v jsonstream.Value) bool {
					return slices.Contains([]string{"action", "operation", "outputs", "results", "error", "tools", "output"}, v.Name()) && v.Kind() != jsonstream.String
				}},
				{"annotations are of known types", func(v jsonstream.Value) bool { return v.Parent().Name() == "annotations" }},
				{"each place has parts of its own", func(v jsonstream.Value) bool {
					kind, list := v.Get("type").Text(), v.Parent()
					assistant := list.Parent().Get("role").Text() == "assistant"
					return list.Name() == "summary" && kind != "summary_text" || kind == "summary_text" && list.Name() != "summary" ||
						kind == "reasoning_text" && list.Parent().Get("type").Text() != "reasoning" ||
						strings.HasPrefix(kind, "input_") && (assistant || v.Get("annotations").Exists()) || kind == "output_text" && !assistant
				}},
			},
			[]difference{
				{"the status of some items may be null, which this test, and not the schema, refuses", func(v jsonstream.Value) bool {
					return v.Name() == "status" && v.Kind() == jsonstream.Null
				}},
				{"an item without a type that has an id is a reference, whatever else it has", func(v jsonstream.Value) bool {
					for ; v.Exists(); v = v.Parent() {
						if v.Get("id").Exists() && !v.Get("type").Exists() {
							return true
						}
					}
					return false
				}},
				{"call_id of a function_call_output may be missing or null; the API finds no call for it", func(v jsonstream.Value) bool {
					return v.Get("type").Text() == "function_call_output" && !v.Get("call_id").Exists() || v.Name() == "call_id" && v.Kind() == jsonstream.Null
				}},
			},
		},
		{
			"anthropic", format.Anthropic, chatgen.Forms(format.Anthropic),
			map[string][]string{"media_type": {"image/png", "text/plain", "application/pdf"}},
			[]difference{
				{"the media type of a source is one of its type", func(v jsonstream.Value) bool { return v.Name() == "media_type" }},
				{"server tools and their results are of known names and members", func(v jsonstream.Value) bool {
					kind := v.Get("type").Text()
					return kind == "server_tool_use" || strings.HasSuffix(kind, "_tool_result") || v.Name() == "caller" || v.Name() == "citations"
				}},
				{"the content of a result is text, an image, a document, a search result or a tool reference", func(v jsonstream.Value) bool {
					return v.Name() == "content" && v.Parent().Get("type").Text() == "tool_result"
				}},
				{"cache_control is of the type ephemeral", func(v jsonstream.Value) bool {
					return v.Name() == "cache_control" && v.Kind() == jsonstream.Object && v.Get("type").Text() != "ephemeral"
				}},
				{"the source of an image is base64, a URL or a file, that of a document a text or content too", func(v jsonstream.Value) bool {
					kind := v.Get("type").Text()
					return v.Name() == "source" && v.Parent().Get("type").Text() == "image" && (kind == "text" || kind == "content")
				}},
			},
			[]difference{{"input of a tool_use is of any type; the API takes an object", func(v jsonstream.Value) bool {
				return v.Name() == "input"
			}}},
		},
		{
			"bedrock-converse", format.BedrockConverse, chatgen.Forms(format.BedrockConverse),
			map[string][]string{"status": {"success", "error"}, "format": {"png", "jpeg", "gif", "webp", "txt"}},
			[]difference{
				{"bytes are base64 in JSON, of which the schema asks that it is a text", func(v jsonstream.Value) bool {
					_, err := base64.StdEncoding.DecodeString(v.Text())
					return (v.Name() == "bytes" || v.Name() == "redactedContent") && err != nil
				}},
				{"a format is one of its kind of file", func(v jsonstream.Value) bool { return v.Name() == "format" }},
				{"a cache point, and a call of a server's tool, is of one type", func(v jsonstream.Value) bool {
					return v.Name() == "type" && (v.Parent().Name() == "cachePoint" || v.Parent().Name() == "toolUse" || v.Parent().Name() == "toolResult")
				}},
				{"what is in a text with citations is not looked at", func(v jsonstream.Value) bool { return v.Name() == "citationsContent" }},
			},
			[]difference{{"input of a toolUse is of any type; the API takes an object", func(v jsonstream.Value) bool {
				return v.Name() == "input"
			}}},
		},
		{
			"gemini", format.Gemini, []string{"contents", "body"}, nil,
			[]difference{
				{"a member that is null is not there, as Python writes it", func(v jsonstream.Value) bool { return v.Kind() == jsonstream.Null }},
				{"languages and outcomes are enums of TypeScript, which JSON does not have", func(v jsonstream.Value) bool {
					return v.Name() == "executableCode" || v.Name() == "codeExecutionResult" || v.Name() == "toolCall" || v.Name() == "toolResponse"
				}},
			},
			[]difference{
				{"role is any text; the API takes user, model and function", func(v jsonstream.Value) bool { return v.Name() == "role" }},
				{"all members are optional; the API requires the name of a function, and data with its media type", func(v jsonstream.Value) bool {
					return slices.Contains([]string{"functionCall", "functionResponse", "inlineData", "fileData"}, v.Name())
				}},
			},
		},
	} {
		t.Run(tt.oracle, func(t *testing.T) {
			docs := histories(t, tt.format, tt.forms, func(whole jsonstream.Value) []byte { return formats.Named(tt.format).Known.List(whole).Raw() })
			schema, strict := schemaOf(tt.format), closed(t, formats.Named(tt.format).Schema, tt.words)
			c := comparison{refuses: tt.refuses, takes: tt.takes, counts: map[string]int{}}
			for i, answer := range program.Start(t, tt.oracle).Ask(docs...) {
				root := parseJSON(t, docs[i]).Root()
				said, found := answer.Checks["types"], strict.Check(root)
				if said != "" && len(found) > 0 && len(schema.Check(root)) == 0 {
					c.counts["the SDK refuses: what our schema leaves open"]++
					continue
				}
				c.compare(t, said, found, root, wholeAt(i))
			}
			c.report(t)
		})
	}
}

// A comparison counts the verdicts of an SDK and ours.
type comparison struct {
	refuses []difference // the SDK rejects, and we accept
	takes   []difference // the SDK accepts, and we reject
	counts  map[string]int
	wrong   int
}

// compare compares the error of the SDK about a document, "" if it accepts it, with our findings. Both must
// accept an unchanged history.
func (c *comparison) compare(t *testing.T, said string, found []finding.Finding, root jsonstream.Value, whole bool) {
	t.Helper()
	why := ""
	switch {
	case whole && len(found) > 0:
	case said == "" && len(found) == 0:
		why = "both take"
	case said != "" && len(found) > 0:
		why = "both refuse"
	case said != "":
		why = refused(root, c.refuses)
	default:
		why, found = taken(root, found, c.takes)
	}
	if why == "" {
		if c.wrong++; c.wrong < 10 {
			t.Errorf("the SDK says %q; found %+v in %s", said, found, root.Raw())
		}
	}
	c.counts[why]++
}

// refused returns the reason why an SDK rejects a document that we accept, "" if no difference applies.
func refused(root jsonstream.Value, differences []difference) string {
	for _, d := range differences {
		for v := range root.All() {
			if d.of(v) {
				return "the SDK refuses: " + d.why
			}
		}
	}
	return ""
}

// taken returns the reason why an SDK accepts a document with findings. rest are the findings that no
// difference explains; if there are any, the reason is "".
func taken(root jsonstream.Value, found []finding.Finding, differences []difference) (why string, rest []finding.Finding) {
	for _, f := range found {
		i := slices.IndexFunc(differences, func(d difference) bool { return d.of(root.At(f.Pointer)) })
		switch {
		case i >= 0:
			why = "the SDK takes: " + differences[i].why
		case f.Rule == schemaPrefix+"unevaluatedProperties" && len(found) > 1: // of what is refused for another reason
		default:
			rest = append(rest, f)
		}
	}
	if len(rest) > 0 {
		why = ""
	}
	return why, rest
}

func (c *comparison) report(t *testing.T) {
	t.Helper()
	for _, why := range slices.Sorted(maps.Keys(c.counts)) {
		t.Logf("%6d %s", c.counts[why], why)
	}
	if c.wrong > 0 || c.counts["both take"] < max(1, *oracleHistories/20) {
		t.Errorf("%d of %d are judged otherwise, and both take %d", c.wrong, *oracleHistories, c.counts["both take"])
	}
}

// histories returns the parts that part selects from histories in some forms: one of four is unchanged, and
// the others are mutated. Our schema must accept the unchanged ones, including the data around the part.
func histories(t *testing.T, f format.Format, forms []string, part func(whole jsonstream.Value) []byte) (docs [][]byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(8, uint64(len(f))))
	for i := range *oracleHistories {
		whole := parseJSON(t, chatgen.HistoryIn(r, f, forms[r.IntN(len(forms))])).Root()
		if found := schemaOf(f).Check(whole); len(found) > 0 {
			t.Errorf("a whole history is refused: %+v in %s", found, whole.Raw())
		}
		text := part(whole)
		if !wholeAt(i) {
			text = chatgen.Mutate(r, parseJSON(t, text).Root())
		}
		docs = append(docs, text)
	}
	return docs
}

// wholeAt reports whether the history at an index is unchanged.
func wholeAt(i int) bool { return i%4 == 0 }

// closed returns a schema that rejects data that ours leaves open: unknown members, unknown
// types of parts and items, and values other than the given words of a member.
func closed(t *testing.T, name string, words map[string][]string) *Schema {
	t.Helper()
	text, err := schemas.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	closeSchema(schema, words, true)
	text, err = json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	s, err := CompileSchema("file:///closed", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// closeSchema closes a schema. Schemas that apply to the same value are closed as one, at its
// place.
func closeSchema(schema map[string]any, words map[string][]string, place bool) {
	delete(schema, "additionalProperties")
	if _, named := schema["properties"]; place && (named || schema["$ref"] != nil || schema["allOf"] != nil || schema["then"] != nil) {
		schema["unevaluatedProperties"] = false
	}
	told := map[string][]any{}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := schema[keyword].([]any)
		for _, s := range list {
			s := s.(map[string]any)
			closeSchema(s, words, false)
			condition, _ := s["if"].(map[string]any)
			properties, _ := condition["properties"].(map[string]any)
			for name, p := range properties {
				if one, ok := p.(map[string]any)["const"]; ok {
					told[name] = append(told[name], one)
				}
				some, _ := p.(map[string]any)["enum"].([]any)
				told[name] = append(told[name], some...)
			}
		}
	}
	for _, keyword := range []string{"if", "then", "else"} {
		if s, ok := schema[keyword].(map[string]any); ok {
			closeSchema(s, words, false)
		}
	}
	if s, ok := schema["items"].(map[string]any); ok {
		closeSchema(s, words, true)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, p := range properties {
		p := p.(map[string]any)
		closeSchema(p, words, true)
		if len(told[name]) > 0 {
			p["enum"] = told[name]
		}
		if words[name] != nil {
			p["enum"] = words[name]
		}
	}
	definitions, _ := schema["$defs"].(map[string]any)
	for _, d := range definitions {
		closeSchema(d.(map[string]any), words, false)
	}
}
