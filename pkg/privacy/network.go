package privacy

import (
	"net/netip"
	"strings"
)

// network looks for a network or device address around the digit at i, in a token that begins at
// start. It returns the end of the address, 0 if there is none.
func (f *finder) network(start, i int) int {
	text := f.text
	// All such addresses consist of hexadecimal digits, colons, dots and dashes.
	end, colons, dots, dashes := i, 0, 0, 0
	for end < len(text) && end-i < 48 {
		switch b := text[end]; {
		case b == ':':
			colons++
		case b == '.':
			dots++
		case b == '-':
			dashes++
		case !isHex(b):
			goto counted
		}
		end++
	}
counted:
	switch {
	case colons >= 2 || colons == 1 && i > 1 && text[i-1] == ':':
		begin := i
		for begin > 0 && i-begin < 40 && (isHex(text[begin-1]) || text[begin-1] == ':') {
			if text[begin-1] == ':' {
				colons++
			}
			begin--
		}
		if begin > 0 && isWord(text[begin-1]) {
			return 0
		}
		if got := f.device(begin, ':'); got > 0 {
			return got
		}
		return f.ipv6(begin, end)
	case dots >= 3 && start == i:
		return f.ipv4(i)
	case dashes >= 5:
		return f.device(start, '-')
	case dots >= 2 && end-start >= 14:
		return f.device(start, '.')
	}
	return 0
}

func isHex(b byte) bool { return isDigit(b) || (b|0x20)-'a' < 6 }

// device looks for a MAC address: six pairs of digits, or three groups of four with dots.
func (f *finder) device(start int, separator byte) int {
	size, groups := 2, 6
	if separator == '.' {
		size, groups = 4, 3
	}
	end := start + groups*(size+1) - 1
	if end > len(f.text) || isWord(f.byteAt(end)) || f.byteAt(end) == separator && isHex(f.byteAt(end+1)) {
		return 0
	}
	letters := false
	for k, b := range []byte(f.text[start:end]) {
		if k%(size+1) == size {
			if b != separator {
				return 0
			}
		} else if !isHex(b) {
			return 0
		}
		letters = letters || !isDigit(b) && b != separator
	}
	score := 0.95
	if separator != ':' && !letters {
		score = 0.3
	}
	f.add(MAC, "", start, end, score)
	return end
}

func (f *finder) ipv6(start, end int) int {
	for end > start && (f.text[end-1] == '.' || f.text[end-1] == '-' || f.text[end-1] == ':' && !strings.HasSuffix(f.text[start:end], "::")) {
		end--
	}
	a, err := netip.ParseAddr(f.text[start:end])
	if err != nil || !a.Is6() || isWord(f.byteAt(end)) {
		return 0
	}
	score := 0.95
	if a.IsLoopback() || a.IsUnspecified() || a.IsMulticast() {
		score = 0.2 // not personal
	} else if end-start < 8 {
		score = 0.5
	}
	f.add(IP, "ipv6", start, end, score)
	return end
}

func (f *finder) ipv4(start int) int {
	text := f.text
	end := start
	for end < len(text) && end-start < len("255.255.255.255") && (isDigit(text[end]) || text[end] == '.' && isDigit(f.byteAt(end+1))) {
		end++
	}
	a, err := netip.ParseAddr(text[start:end])
	if err != nil || isWord(f.byteAt(end)) || f.byteAt(end) == '.' && isDigit(f.byteAt(end+1)) || start > 1 && text[start-1] == '.' && isWord(text[start-2]) {
		return 0
	}
	if b := f.byteAt(start - 1); b == '-' || b == '/' && f.byteAt(start-2) != '/' {
		return 0
	}
	score := 0.9
	switch {
	case a.IsLoopback(), a.IsUnspecified(), a.IsMulticast(), a.As4()[0] == 255:
		score = 0.2 // not personal
	case f.near(start)&ofNetwork != 0:
		score = 0.97
	case f.near(start)&ofOther != 0:
		score = 0.3 // a version
	case a.As4()[0] == 0:
		score = 0.2
	}
	f.add(IP, "ipv4", start, end, score)
	return end
}
