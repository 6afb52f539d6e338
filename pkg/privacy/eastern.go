package privacy

import (
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/privacy/internal/names"
)

// honorifics follow personal names in Chinese, Japanese and Korean.
var honorifics = []string{"先生", "女士", "小姐", "さん", "様", "氏", "くん", "ちゃん", "씨", "님"}

// nameLabels precede personal names in Chinese, Japanese and Korean.
var nameLabels = []string{"姓名", "名前", "氏名", "이름", "我叫", "我是", "联系人", "收件人", "叫做", "성명"}

// eastern looks for a name at a Chinese, Japanese or Korean character: a known surname and one or
// two characters, after a label or before an honorific. It returns the end of the run of such
// characters.
func (f *finder) eastern(i int) int {
	end := i
	for end < len(f.text) {
		r, size := utf8.DecodeRuneInString(f.text[end:])
		if !isEastern(r) {
			break
		}
		end += size
	}
	run := f.text[i:end]
	for _, h := range honorifics {
		for from := 0; ; {
			at := strings.Index(run[from:], h)
			if at < 0 {
				break
			}
			at += from
			f.easternBefore(i, i+at)
			from = at + len(h)
		}
	}
	for _, label := range nameLabels {
		if at := strings.Index(run, label); at >= 0 {
			f.easternAfter(i + at + len(label))
		} else if before := strings.TrimRight(f.text[max(0, i-12):i], " :：是は"); strings.HasSuffix(before, label) {
			f.easternAfter(i)
		}
	}
	if f.named&ofPerson != 0 && len(run) == len(f.text) {
		f.easternAfter(i)
	}
	return end
}

func isEastern(r rune) bool {
	return isIdeograph(r) || r >= 0xAC00 && r <= 0xD7A3 || r >= 0x3041 && r <= 0x30FF
}

// easternBefore looks for a name of two to four characters that ends at end.
func (f *finder) easternBefore(low, end int) {
	start := end
	for n := 1; n <= 4 && start > low; n++ {
		_, size := utf8.DecodeLastRuneInString(f.text[low:start])
		start -= size
		if n >= 1 && surname(f.text[start:end], n) {
			f.add(Person, "", start, end, 0.75)
			return
		}
	}
}

// easternAfter looks for a name of two or three characters that begins at start.
func (f *finder) easternAfter(start int) {
	start += len(f.text[start:]) - len(strings.TrimLeft(f.text[start:], " :：是は"))
	end, n := start, 0
	for end < len(f.text) && n < 4 {
		r, size := utf8.DecodeRuneInString(f.text[end:])
		if !isIdeograph(r) && (r < 0xAC00 || r > 0xD7A3) {
			break
		}
		end += size
		n++
	}
	if n >= 2 && surname(f.text[start:end], n) {
		f.add(Person, "", start, end, 0.7)
	}
}

// surname reports whether a name of n characters begins with a listed surname.
func surname(name string, n int) bool {
	if n == 1 {
		return false // such names are too often ordinary words
	}
	_, size := utf8.DecodeRuneInString(name)
	if strings.Contains(easternSurnames, name[:size]) {
		return true
	}
	if n >= 2 {
		_, second := utf8.DecodeRuneInString(name[size:])
		return names.Of(name[:size+second])&names.Last != 0
	}
	return false
}

// easternSurnames are the most frequent surnames of one character. Most people in China and Korea
// have one of them.
const easternSurnames = "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林高罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖蕭田董袁潘于蒋蔡余杜叶葉程苏蘇魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤" +
	"김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민류나진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용"
