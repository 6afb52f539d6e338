package privacy

// labelled looks for a number identified only by the words beside it: of a passport, a driving
// licence, a patient, an account, or an id without a known form.
func (f *finder) labelled(t *token) int {
	first := t.groups[0]
	if t.shape[0] == 'l' && first.letters > 4 || first.plain > 24 {
		return 0
	}
	n := f.codeGroups(t)
	end, digits, length := t.groups[n-1].end, 0, t.groups[n-1].plain
	for _, g := range t.groups[:n] {
		digits += g.digits
	}
	letters := length - digits
	if digits < 4 || length < 5 || length > 24 {
		return 0
	}
	c := f.near(t.start)
	if c&(ofPassport|ofLicence|ofHealth|ofBank|ofID|ofSSN) == 0 {
		c |= f.after(t.end()) & (ofPassport | ofLicence)
	}
	if c&(ofPassport|ofLicence|ofHealth|ofBank|ofID|ofSSN|ofCard) == 0 || c&ofOther != 0 && c&(ofPassport|ofLicence) == 0 {
		return 0
	}
	// A prefix with a dash or number sign is part of the code: MRN-0012345.
	start := t.start
	if f.byteAt(start-1) == '-' {
		back := start - 1
		for back > 0 && start-back < 8 && isUpper(f.text[back-1]) {
			back--
		}
		if back < start-1 && !isWord(f.byteAt(back-1)) {
			start = back
		}
	}
	switch {
	case c&ofPassport != 0 && length >= 6 && length <= 10 && letters <= 3:
		f.add(Passport, "", start, end, 0.85)
	case c&ofLicence != 0 && length >= 5 && length <= 20:
		f.add(Licence, "", start, end, 0.8)
	case c&ofHealth != 0 && c&ofBank == 0 && length >= 5 && length <= 15:
		f.add(HealthID, "", start, end, 0.75)
	case c&ofBank != 0 && length >= 6 && length <= 20 && letters <= 4:
		f.add(Account, "", start, end, 0.8)
	case c&ofCard != 0 && letters == 0 && length >= 12 && length <= 19:
		f.add(Card, "", start, end, 0.6)
	case c&ofSSN != 0 && letters == 0 && length == 9:
		f.add(NationalID, "us-ssn", start, end, 0.7)
	case c&(ofID&^ofOther) != 0 && c&ofPhone == 0 && length >= 7 && length <= 18 && letters <= 6:
		f.add(NationalID, "", start, end, 0.55)
	default:
		return 0
	}
	return end
}

// codeGroups returns the number of a token's groups that form one code: groups joined by dashes,
// and following groups of digits separated by spaces.
func (f *finder) codeGroups(t *token) int {
	n := 1
	for n < t.n && (t.shape[t.groups[n-1].shape] != ' ' || t.groups[n].letters == 0 && t.groups[n].digits > 1) && t.shape[t.groups[n-1].shape] != '.' {
		n++
	}
	return n
}
