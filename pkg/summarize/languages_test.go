package summarize_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/summarize"
)

// languages have a sentence with a place for a number, and the separator of sentences.
var languages = []struct{ name, sentence, apart string }{
	{"Arabic", "الغرفة رقم %d محجوزة لفريق الصيانة.", " "},
	{"Bengali", "%d নম্বর ঘরটি রক্ষণাবেক্ষণ দলের জন্য সংরক্ষিত।", " "},
	{"Chinese", "第%d号房间已预留给维修小组。", ""},
	{"Czech", "Pokoj %d je rezervován pro tým údržby.", " "},
	{"English", "Room %d is reserved for the maintenance team.", " "},
	{"Finnish", "Huone %d on varattu huoltoryhmälle.", " "},
	{"French", "La chambre %d est réservée à l'équipe d'entretien.", " "},
	{"German", "Zimmer %d ist für den Wartungstrupp reserviert.", " "},
	{"Greek", "Το δωμάτιο %d έχει κρατηθεί για την ομάδα συντήρησης.", " "},
	{"Hebrew", "חדר %d שמור לצוות התחזוקה.", " "},
	{"Hindi", "कमरा %d मरम्मत दल के लिए आरक्षित है।", " "},
	{"Indonesian", "Kamar %d dipesan untuk tim pemeliharaan.", " "},
	{"Italian", "La stanza %d è riservata alla squadra di manutenzione.", " "},
	{"Japanese", "%d号室は整備班のために確保されています。", ""},
	{"Korean", "%d호실은 정비팀을 위해 예약되었습니다.", " "},
	{"Polish", "Pokój %d jest zarezerwowany dla ekipy remontowej.", " "},
	{"Portuguese", "O quarto %d está reservado para a equipe de manutenção.", " "},
	{"Russian", "Комната %d забронирована для ремонтной бригады.", " "},
	{"Spanish", "La sala %d está reservada para el equipo de mantenimiento.", " "},
	{"Tamil", "அறை %d பராமரிப்புக் குழுவுக்கு ஒதுக்கப்பட்டது.", " "},
	{"Thai", "ห้อง %d ถูกจองไว้สำหรับทีมซ่อมบำรุงของโรงแรมเรียบร้อยแล้ว", " "},
	{"Turkish", "%d numaralı oda bakım ekibi için ayrıldı.", " "},
	{"Vietnamese", "Phòng %d được dành cho đội bảo trì.", " "},
}

// TestLanguages has 25 sentences that differ in a figure: with enough room all are kept, in one
// turn or in many; with little room, the last one is.
func TestLanguages(t *testing.T) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			var all []string
			var turns []summarize.Turn
			for i := range 25 {
				all = append(all, fmt.Sprintf(l.sentence, 317+11*i))
				turns = append(turns, summarize.Turn{Role: []string{"user", "assistant"}[i%2], Text: all[i]})
			}
			one := []summarize.Turn{{Role: "assistant", Text: strings.Join(all, l.apart)}}
			for name, turns := range map[string][]summarize.Turn{"many turns": turns, "one turn": one} {
				got := summary(t, summarize.Request{Turns: turns, MaxTokens: 2000})
				for _, sentence := range all {
					if !strings.Contains(got, sentence) {
						t.Errorf("%s: %q is missing in %q", name, sentence, got)
						break
					}
				}
				got = summary(t, summarize.Request{Turns: turns, MaxTokens: 60})
				if !strings.Contains(got, "581") {
					t.Errorf("%s: the last sentence is missing in %q", name, got)
				}
			}
		})
	}
}

// TestNegated has sentences with a negated value: the value is never kept without its negation.
func TestNegated(t *testing.T) {
	for _, tt := range []struct{ sentence, value, negation string }{
		{"The shuttle from Terminal 2 is not provided by Hotel Alba.", "provided", "not"},
		{"We do not want a table at Golden Wok.", "Golden Wok", "not"},
		{"Wir brauchen keinen Wagen von Autohaus Meier.", "Autohaus Meier", "keinen"},
		{"Nous ne voulons pas du train TGV-8812.", "TGV-8812", "pas"},
		{"No queremos el vuelo IB-3166.", "IB-3166", "No"},
		{"Non vogliamo la camera Belvedere.", "Belvedere", "Non"},
		{"Não queremos o hotel Tivoli.", "Tivoli", "Não"},
		{"We willen geen kamer in Hotel Krasnapolsky.", "Krasnapolsky", "geen"},
		{"Nie chcemy hotelu Bristol.", "Bristol", "Nie"},
		{"Мы не хотим отель Метрополь.", "Метрополь", "не"},
		{"我们不要金龙酒店。", "金龙", "不"},
		{"金龍ホテルは予約しません。", "金龍", "ません"},
		{"हमें ताज होटल नहीं चाहिए।", "ताज", "नहीं"},
		{"If it rains we take the Louvre ticket.", "Louvre", "If it rains"},
	} {
		for limit := 4; limit < 60; limit += 2 {
			got := summary(t, summarize.Request{MaxTokens: limit, Turns: []summarize.Turn{
				{Role: "user", Text: tt.sentence}, {Role: "assistant", Text: "Thanks, the desk in Porto opens at 08:15."}}})
			if strings.Contains(got, tt.value) && !strings.Contains(got, tt.negation) {
				t.Errorf("in %d tokens, %q becomes %q", limit, tt.sentence, got)
			}
		}
	}
}
