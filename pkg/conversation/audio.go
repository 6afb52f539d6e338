package conversation

import "github.com/eaapl/handoff/pkg/jsonstream"

// transcriptIn returns the transcript in the audio of an answer of OpenAI's Chat API, a text, or an absent value.
func transcriptIn(audio jsonstream.Value) jsonstream.Value {
	if text := audio.Get("transcript"); audio.Kind() == jsonstream.Object && text.Kind() == jsonstream.String && text.Text() != "" {
		return text
	}
	return jsonstream.Value{}
}

// spoken returns the part of the audio of an answer of OpenAI's Chat API: its transcript. A request names the
// audio only by its id.
func spoken(audio jsonstream.Value) (p Part, ok bool) {
	if text := transcriptIn(audio); text.Exists() {
		return Part{Kind: Said, Value: text}, true
	}
	id := audio.Name() == "audio" && audio.Get("id").Kind() == jsonstream.String
	return Part{Value: audio}, id
}
