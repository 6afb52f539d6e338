package wire_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/formats/macp/wire"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// schema describes the protocol's messages to the protobuf library: the names are the
// types, "*" is repeated, and the numbers count from 1.
var schema = map[string][]string{
	"Envelope":       {"string macp_version", "string mode", "string message_type", "string message_id", "string session_id", "string sender", "int64 timestamp_unix_ms", "bytes payload"},
	"Root":           {"string uri", "string name"},
	"Entry":          {"string key", "bytes value"},
	"Reference":      {"string session_id", "string commitment_hash"},
	"SessionStart":   {"string intent", "*string participants", "string mode_version", "string configuration_version", "string policy_version", "int64 ttl_ms", "*Root roots", "string context_id", "*Entry extensions", "int64 max_suspend_ms"},
	"HandoffOffer":   {"string handoff_id", "string target_participant", "string scope", "string reason"},
	"HandoffContext": {"string handoff_id", "string content_type", "bytes context"},
	"HandoffAccept":  {"string handoff_id", "string accepted_by", "string reason", "bool implicit"},
	"HandoffDecline": {"string handoff_id", "string declined_by", "string reason"},
	"Commitment":     {"string commitment_id", "string action", "string authority_scope", "string reason", "string mode_version", "string policy_version", "string configuration_version", "bool outcome_positive", "Reference supersedes"},
}

var messageTypes = []string{"SessionStart", "HandoffOffer", "HandoffContext", "HandoffAccept", "HandoffDecline", "Commitment"}

// described builds the schema with the protobuf library.
func described(t testing.TB) protoreflect.MessageDescriptors {
	scalars := map[string]descriptorpb.FieldDescriptorProto_Type{
		"string": descriptorpb.FieldDescriptorProto_TYPE_STRING, "bytes": descriptorpb.FieldDescriptorProto_TYPE_BYTES,
		"int64": descriptorpb.FieldDescriptorProto_TYPE_INT64, "bool": descriptorpb.FieldDescriptorProto_TYPE_BOOL,
	}
	file := &descriptorpb.FileDescriptorProto{Name: proto.String("macp.proto"), Package: proto.String("macp"), Syntax: proto.String("proto3")}
	for name, list := range schema {
		m := &descriptorpb.DescriptorProto{Name: proto.String(name)}
		for i, text := range list {
			typeName, fieldName, _ := bytes.Cut([]byte(text), []byte(" "))
			f := &descriptorpb.FieldDescriptorProto{
				Name: proto.String(string(fieldName)), Number: proto.Int32(int32(i + 1)), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
			}
			if typeName[0] == '*' {
				typeName = typeName[1:]
				f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
			}
			if scalar, ok := scalars[string(typeName)]; ok {
				f.Type = scalar.Enum()
			} else {
				f.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
				f.TypeName = proto.String(".macp." + string(typeName))
			}
			m.Field = append(m.Field, f)
		}
		file.MessageType = append(file.MessageType, m)
	}
	d, err := protodesc.NewFile(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d.Messages()
}

// A generator draws messages, and has the protobuf library write them.
type generator struct {
	*rapid.T
	types protoreflect.MessageDescriptors
}

func (g generator) message(name string) *dynamicpb.Message {
	m := dynamicpb.NewMessage(g.types.ByName(protoreflect.Name(name)))
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		if name == "Entry" && f.Name() == "value" || rapid.Bool().Draw(g.T, "there") {
			g.set(m, f)
		}
	}
	if name != "Entry" && rapid.Bool().Draw(g.T, "unknown") {
		unknown := num(protowire.Number(rapid.IntRange(11, 1000).Draw(g.T, "number")), rapid.Uint64().Draw(g.T, "n"))
		unknown = append(unknown, str(1000, rapid.String().Draw(g.T, "text"))...)
		unknown = append(unknown, protowire.AppendFixed32(protowire.AppendTag(nil, 1001, protowire.Fixed32Type), 5)...)
		unknown = append(unknown, protowire.AppendGroup(protowire.AppendTag(nil, 1002, protowire.StartGroupType), 1002, num(1, 1))...)
		m.SetUnknown(unknown)
	}
	return m
}

func (g generator) set(m *dynamicpb.Message, f protoreflect.FieldDescriptor) {
	if f.IsList() {
		list := m.NewField(f).List()
		for i := range rapid.IntRange(0, 3).Draw(g.T, "length") {
			if f.Kind() == protoreflect.StringKind {
				list.Append(g.value(f))
				continue
			}
			element := g.message(string(f.Message().Name()))
			if f.Message().Name() == "Entry" { // a map has each key once, and always both parts
				element.Set(f.Message().Fields().ByName("key"), protoreflect.ValueOfString(string(rune('a'+i))))
				element.Set(f.Message().Fields().ByName("value"), protoreflect.ValueOfBytes([]byte{byte(i)}))
			}
			list.Append(protoreflect.ValueOfMessage(element))
		}
		m.Set(f, protoreflect.ValueOfList(list))
		return
	}
	m.Set(f, g.value(f))
}

func (g generator) value(f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(rapid.String().Draw(g.T, "string"))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(rapid.SliceOf(rapid.Byte()).Draw(g.T, "bytes"))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(rapid.Int64().Draw(g.T, "int64"))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(g.T, "bool"))
	default:
		return protoreflect.ValueOfMessage(g.message(string(f.Message().Name())))
	}
}

// write has the library write a message in canonical form.
func (g generator) write(m proto.Message) []byte {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		g.Fatal(err)
	}
	return data
}

// stream draws envelopes of some sessions, one session after the other.
func (g generator) stream() []byte {
	var data []byte
	for _, session := range []string{"", "s-1", "s-2"}[rapid.IntRange(0, 2).Draw(g.T, "first session"):] {
		for range rapid.IntRange(1, 4).Draw(g.T, "messages") {
			e := g.message("Envelope")
			set := func(name protoreflect.Name, v protoreflect.Value) { e.Set(e.Descriptor().Fields().ByName(name), v) }
			messageType := rapid.SampledFrom(append([]string{"", "Unknown"}, messageTypes...)).Draw(g.T, "type")
			set("message_type", protoreflect.ValueOfString(messageType))
			set("session_id", protoreflect.ValueOfString(session))
			if slices.Contains(messageTypes, messageType) {
				set("payload", protoreflect.ValueOfBytes(g.write(g.message(messageType))))
			}
			data = protowire.AppendBytes(data, g.write(e))
		}
	}
	return data
}

// TestRoundTrip checks that streams of the protobuf library are byte for byte the same after a
// conversion to JSON and back.
func TestRoundTrip(t *testing.T) {
	types := described(t)
	rapid.Check(t, func(t *rapid.T) {
		stream := generator{t, types}.stream()
		back, lost, err := through(stream)
		if err != nil {
			t.Fatalf("%v for %x", err, stream)
		}
		if len(lost) > 0 {
			t.Fatalf("lost %v", lost)
		}
		if !bytes.Equal(back, stream) {
			t.Fatalf("got\n%x, want\n%x", back, stream)
		}
	})
}

// through decodes a stream and encodes the result.
func through(stream []byte) (back []byte, lost []wire.Loss, err error) {
	transcripts, err := wire.Decode(bytes.NewReader(stream), jsonstream.Limits{})
	if err != nil {
		return nil, nil, err
	}
	for _, transcript := range transcripts {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(transcript.Text), jsonstream.Limits{})
		if err != nil {
			return nil, nil, err
		}
		data, more, err := wire.Encode(doc)
		if err != nil {
			return nil, nil, err
		}
		back, lost = append(back, data...), append(lost, more...)
	}
	return back, lost, nil
}

// TestReadable checks that the protobuf library can read the output of Encode.
func TestReadable(t *testing.T) {
	types := described(t)
	doc := parse(t, `{"messages":[{"messageType":"Commitment","sender":"a","timestamp":"2023-11-14T22:13:20Z","payload":
		{"commitmentId":"c1","outcomePositive":true,"supersedes":{"sessionId":"s-0","commitmentHash":"h"}}}]}`)
	data, _, err := wire.Encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := protowire.ConsumeBytes(data)
	read := func(name protoreflect.Name, raw []byte) *dynamicpb.Message {
		m := dynamicpb.NewMessage(types.ByName(name))
		if err := proto.Unmarshal(raw, m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	get := func(m protoreflect.Message, name protoreflect.Name) protoreflect.Value {
		return m.Get(m.Descriptor().Fields().ByName(name))
	}
	e := read("Envelope", raw)
	c := read("Commitment", get(e, "payload").Bytes())
	got := []any{
		get(e, "sender").String(), get(e, "timestamp_unix_ms").Int(), get(c, "commitment_id").String(), get(c, "outcome_positive").Bool(),
		get(get(c, "supersedes").Message(), "commitment_hash").String(),
	}
	if diff := cmp.Diff([]any{"a", int64(1700000000000), "c1", true, "h"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzDecode checks that a decoded stream is strict JSON and can be encoded, and that the bytes are
// stable after that.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add(enveloped("SessionStart", "m1", str(2, "a"), str(2, "b"), num(6, 5), str(7, ""), str(9, string(fields(str(1, "k"), str(2, "v"))))))
	f.Add(append(enveloped("Commitment", "m1", num(8, 2), str(9, "")), 0x80, 0x00))
	f.Add(enveloped("Telepathy", "m1", []byte("?")))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, stream []byte) {
		if _, err := wire.Decode(bytes.NewReader(stream), jsonstream.Limits{MaxBytes: 1 << 20}); err != nil {
			return
		}
		once, lost, err := through(stream)
		if err != nil {
			t.Fatalf("the decoded transcript cannot be encoded: %v", err)
		}
		if len(lost) > 0 {
			t.Fatalf("lost %v", lost)
		}
		twice, _, err := through(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("error %v, or not stable:\n%x\n%x", err, once, twice)
		}
	})
}
