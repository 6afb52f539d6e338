package privacy

import (
	"bytes"
	"strings"
	"sync"
)

// An id is a kind of number that a state assigns to people or companies.
type id struct {
	kind   string
	shapes string // its forms, with d for a digit and L for a capital letter
	valid  func(text []byte) bool
	words  context // any of them identifies the number
	// alone is the score by form and check digits, with separators; bare is the score without
	// separators. With one of the words, the score is close to 1.
	alone, bare float64
}

// ids covers the fifteen largest economies and some of their neighbours. If check digits are not
// public, or no longer hold for new numbers, the fields of the number are checked.
var ids = []id{
	{"us-ssn", "ddd-dd-dddd ddd.dd.dddd ddd_dd_dddd|ddddddddd", validSSN, ofSSN | ofID, 0.8, 0},
	{"us-itin", "ddd-dd-dddd|ddddddddd", validITIN, ofITIN | ofSSN | ofID, 0.7, 0},
	{"cn-resident-id", "ddddddddddddddddd" + "L|dddddddddddddddddd", validChina, ofChina | ofID, 0.95, 0.9},
	{"de-tax-id", "dd_ddd_ddd_ddd dd_dddddd_ddd ddd_ddd_ddd_dd|ddddddddddd", validTaxDE, ofTaxDE | ofID, 0.7, 0.4},
	{"de-social-security", "dd_dddddd_L_ddd|ddddddddLddd", validSocialDE, ofSocialDE | ofID, 0.9, 0.8},
	{"in-aadhaar", "dddd_dddd_dddd dddd-dddd-dddd|dddddddddddd", validAadhaar, ofAadhaar | ofID, 0.7, 0.3},
	{"in-pan", "|LLLLLddddL", validPAN, ofPAN | ofID | ofCard, 0, 0.7},
	{"jp-my-number", "dddd_dddd_dddd dddd-dddd-dddd|dddddddddddd", validMyNumber, ofMyNumber, 0.45, 0.2},
	{"gb-nino", "LL_dd_dd_dd_L LL-dd-dd-dd-L LL_dddddd_L LLdd_dd_ddL|LLddddddL", validNINO, ofNINO | ofID, 0.9, 0.8},
	{"gb-nhs", "ddd_ddd_dddd ddd-ddd-dddd|dddddddddd", validNHS, ofNHS, 0.4, 0.2},
	{"fr-nir", "d_dd_dd_dd_ddd_ddd_dd d_dd_dd_dL_ddd_ddd_dd|ddddddddddddddd ddddddLdddddddd", validNIR, ofNIR | ofID, 0.95, 0.85},
	{"it-codice-fiscale", "LLL_LLL_ddLdd_LdddL|LLLLLLddLddLdddL", validCodice, ofCodice | ofID, 0.95, 0.95},
	{"ca-sin", "ddd-ddd-ddd ddd_ddd_ddd|ddddddddd", validSIN, ofSIN, 0.45, 0.1},
	{"br-cpf", "ddd.ddd.ddd-dd|ddddddddddd", validCPF, ofCPF | ofID, 0.97, 0.4},
	{"br-cnpj", "dd.ddd.ddd/dddd-dd|dddddddddddddd", validCNPJ, ofCNPJ, 0.97, 0.4},
	{"ru-inn", "|dddddddddddd dddddddddd", validINN, ofINN, 0, 0.2},
	{"ru-snils", "ddd-ddd-ddd_dd ddd-ddd-ddd-dd|ddddddddddd", validSNILS, ofSNILS, 0.9, 0.2},
	{"kr-rrn", "dddddd-ddddddd|ddddddddddddd", validRRN, ofRRN | ofID, 0.85, 0.2},
	{"au-tfn", "ddd_ddd_ddd ddd_ddd_dd|ddddddddd", validTFN, ofTFN, 0.45, 0.1},
	{"au-medicare", "dddd_ddddd_d dddd-ddddd-d|dddddddddd ddddddddddd", validMedicare, ofMedicare, 0.7, 0.2},
	{"es-dni", "dd.ddd.ddd-L dddddddd-L dd.ddd.dddL dddddddd_L|ddddddddL", validDNI, ofDNI | ofID, 0.9, 0.85},
	{"es-nie", "L-ddddddd-L|LdddddddL", validNIE, ofDNI | ofID, 0.9, 0.85},
	{"mx-curp", "|LLLLddddddLLLLLLdd LLLLddddddLLLLLLLd", validCURP, ofCURP | ofID, 0, 0.95},
	{"nl-bsn", "dddd.dd.ddd ddd.ddd.ddd dddd_dd_ddd|ddddddddd", validBSN, ofBSN, 0.4, 0.1},
	{"pl-pesel", "|ddddddddddd", validPESEL, ofPESEL, 0, 0.5},
	{"se-personnummer", "dddddd-dddd dddddddd-dddd|dddddddddd dddddddddddd", validSwede, ofNordic | ofID, 0.8, 0.2},
	{"no-fodselsnummer", "dddddd_ddddd|ddddddddddd", validNorse, ofNordic | ofID, 0.8, 0.5},
	{"fi-hetu", "dddddd-dddL dddddd-dddd|", validFinn, ofNordic | ofID, 0.9, 0},
	{"ch-ahv", "ddd.dddd.dddd.dd|ddddddddddddd", validSwiss, ofID, 0.95, 0.5},
	{"be-national-number", "dd.dd.dd-ddd.dd dd.dd.dd-ddd-dd|ddddddddddd", validBelgian, ofID, 0.95, 0.4},
	{"tr-kimlik", "|ddddddddddd", validKimlik, ofTCKN, 0, 0.4},
}

// An idForm is an id in one of its forms.
type idForm struct {
	*id
	alone float64
}

// idsByShape are the ids by shape. A space in a shape is "_", which also stands for a character
// written in place of a dash.
var idsByShape = sync.OnceValue(func() map[string][]idForm {
	shapes := map[string][]idForm{}
	for i := range ids {
		separated, bare, _ := strings.Cut(ids[i].shapes, "|")
		for shape := range strings.FieldsSeq(separated) {
			shape = strings.ReplaceAll(shape, "_", " ")
			shapes[shape] = append(shapes[shape], idForm{&ids[i], ids[i].alone})
		}
		for shape := range strings.FieldsSeq(bare) {
			shapes[shape] = append(shapes[shape], idForm{&ids[i], ids[i].bare})
		}
	}
	return shapes
})

// nationalID looks for an id in the groups of a token, longest first, and returns its end, 0 if
// there is none.
func (f *finder) nationalID(t *token) int {
	shapes := idsByShape()
	for n := t.n; n > 0; n-- {
		end := t.groups[n-1].end
		writings := shapes[string(t.shape[:t.groups[n-1].shape])]
		if len(writings) == 0 {
			continue
		}
		// A copy, so that the token does not escape to the heap.
		plain := bytes.Clone(t.plain[:t.groups[n-1].plain])
		kind, best := "", 0.0
		for _, w := range writings {
			if !w.valid(plain) {
				continue
			}
			score := w.alone
			if f.near(t.start)&w.words != 0 || f.after(end)&w.words != 0 {
				score = max(0.95, score)
			} else if f.near(t.start)&ofOther != 0 {
				score /= 2
			}
			if score > best {
				kind, best = w.kind, score
			}
		}
		if best > 0 && f.add(NationalID, kind, t.start, end, best) {
			return end
		}
	}
	return 0
}
