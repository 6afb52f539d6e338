package summarize_test

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/summarize"
)

// booking is a conversation with a failure, a correction and many farewells.
var booking = []string{
	"Hi, I'd like to book a table at the Golden Lion for Friday evening.",
	"Sure, for how many people and at what time?",
	"Six people, at 7 pm. My name is Clara Weber.",
	"At 7 pm there is no table; at 8 pm there is one. Shall I book it?",
	"Yes please. No wait, make it for five people, not six.",
	"Done, a table for five people at 8 pm on Friday is booked. The reference is GL-4471.",
	"Great. Can I pay with my gift card GC-77?",
	"Your payment was declined because the gift card has expired.",
	"OK, I will pay cash then.",
	"You can pay at the restaurant.",
	"Thank you so much for all your help today!",
	"You're welcome! Is there anything else I can help you with?",
	"No, that is all. Have a wonderful day!",
	"Thank you, you too. Goodbye!",
}

// TestOutcomes summarises to a third: the failure is kept, the last value and not the earlier one,
// and no farewell.
func TestOutcomes(t *testing.T) {
	got := inBytes(t, booking, 230)
	for _, want := range []string{"declined", "8 pm", "five", "GL-4471", "Clara Weber", "Golden Lion"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, idle := range []string{"Six", "welcome", "wonderful", "Goodbye", "anything else"} {
		if strings.Contains(got, idle) {
			t.Errorf("%q is in %q", idle, got)
		}
	}
}

// TestAnswers has questions in scripts without spaces: the values are in the answers.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		said []string
		want []string
	}{
		{[]string{"你看过《流浪地球》吗？", "看过，很好看。", "导演是谁？", "是郭帆导演的。", "片长是多少？", "大概125分钟。", "谢谢！", "不客气，再见。"}, []string{"流浪地球", "郭帆", "125分钟"}},
		{[]string{"監督は誰ですか？", "監督は黒沢清です。", "上映時間はどのくらいですか？", "121分です。", "ありがとうございました。", "どういたしまして。"}, []string{"黒沢清", "121分"}},
	} {
		size := len(strings.Join(tt.said, ""))
		got := inBytes(t, tt.said, size/2)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q is missing in %q", want, got)
			}
		}
	}
}

// TestFarewells has a fact between thanks and farewells, in the languages of [TestLanguages] with a
// line here: if there is room for one sentence, the fact is kept.
func TestFarewells(t *testing.T) {
	for _, farewell := range []string{
		"شكرا، مع السلامة!", "ধন্যবাদ, বিদায়!", "谢谢，再见！", "Děkuji, na shledanou!", "Thank you, goodbye!", "Kiitos, näkemiin!",
		"Merci, au revoir !", "Vielen Dank, auf Wiedersehen!", "Ευχαριστώ, αντίο!", "תודה, להתראות!", "धन्यवाद, अलविदा!", "Terima kasih, sampai jumpa!",
		"Grazie, arrivederci!", "ありがとうございます、さようなら！", "감사합니다, 안녕히!", "Dziękuję, do widzenia!", "Obrigado, adeus!", "Спасибо, до свидания!",
		"¡Gracias, adiós!", "nandri, vanakkam!", "ขอบคุณค่ะ ลาก่อน", "Teşekkürler, hoşça kal!", "Cảm ơn, tạm biệt!",
	} {
		got := inBytes(t, []string{"LH1234, 12:45", farewell, farewell}, 50)
		if !strings.Contains(got, "LH1234") || strings.Contains(got, farewell) {
			t.Errorf("%s: %q", farewell, got)
		}
	}
}

// inBytes returns a summary of alternating turns of a user and an assistant.
func inBytes(t *testing.T, said []string, size int) string {
	t.Helper()
	var turns []summarize.Turn
	for i, text := range said {
		turns = append(turns, summarize.Turn{Role: []string{"user", "assistant"}[i%2], Text: text})
	}
	s, err := summarize.Extractive{}.Summarize(t.Context(), summarize.Request{Turns: turns, MaxTokens: size, Count: func(s string) int { return len(s) }})
	if err != nil {
		t.Fatal(err)
	}
	return s.Text
}
