// Prints vectors.json: texts and their number of tokens by OpenAI's tiktoken, in the
// order of "encodings". To run it, in a directory outside the repository:
//
//	npm install tiktoken@1.0.22
//	cp .../pkg/tokens/testdata/vectors.mjs . && node vectors.mjs > vectors.json
import { createRequire } from "node:module";
const { get_encoding } = createRequire(import.meta.url)("tiktoken");

const names = ["o200k_base", "cl100k_base", "p50k_base", "p50k_edit", "r50k_base"];
const encoders = names.map(get_encoding);

const texts = new Set();
const add = (...list) => list.forEach((t) => texts.add(t));

// Blank lines with spaces, and what is at the end of a text.
add("a\n  \nb", "a\n \n \nb", "a \n b", "a\r\n\r\n  b", "a\n\t\n\tb", "\n  \n  ", "a\n  ", "a\n", "a  ", "  a", "   \n\n   a", "a \t \n");
const alphabet = ["a", " ", "\n", "\r", "\t", "'", "s", "1"];
let level = [""];
for (let length = 1; length <= 3; length++) {
  level = level.flatMap((t) => alphabet.map((c) => t + c));
  add(...level);
}
let seed = 1;
const random = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return (seed >> 8) % n;
};
const draw = (from, length) => Array.from({ length }, () => from[random(from.length)]).join("");
for (let i = 0; i < 150; i++) add(draw(alphabet, 4 + random(6)));
const spaces = [" ", "\n", "\r\n", "\t", "\v", "\f", "\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u202f", "\u3000", "\u200b", "\ufeff", "x", "."];
for (let i = 0; i < 100; i++) add(draw(spaces, 2 + random(8)));

// Contractions, with the two letters whose other case is ASCII.
for (const c of ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"])
  add("I" + c, "I" + c.toUpperCase() + "x", c, "1" + c, " " + c + " a", "É" + c + "é", "'" + c, "I’" + c.slice(1), "中" + c, "a\n" + c);
add("it'ſ", "IT'ſX", "'ſ", "'K", "'\u212a", "K'ſ", "'lL", "'Ll", "'vE", "'rE", "'l", "'r", "'v", "a'", "don't'll've");

// Case, letters without case, marks, numbers.
add("HelloWORLDfooBAR", "camelCaseXMLHttp", "ǅungla ǅǅ aǅ", "ʰʰaʰA", "ªºA", "中ABC", "ABC中", "中A中a", "ABC中D'S", "ﬁﬂ ß ẞ", "İstanbul ıİ", "ÀÉÎõü",
  "\u0301", "\u0301a", "\u0301A", " \u0301A", "!\u0301A", "A\u0301B\u0301", "a\u0301\u0301\u0301", "1\u0301", "\u0301\u0301A", "\n\u0301", "e\u0301clair",
  "1", "12", "123", "1234", "1234567890", " 1234", "3.14159", "1,000,000", "٣٤٥٦", "५६७८", "ⅧⅨ", "½¾", "①②③④", "x²y³", "0x1F4A9", "1e400");
// Letters, marks and numbers that Unicode added lately.
add("\u0897's", "\u1c89\u1c8a's A", "\u{105c0}'ll", "\u{10d40}\u{10d41}\u{10d42}\u{10d43}", "\u{2ebf0}\u{2ebf1}", "\u{13460}'s", "\u0295A");

// Scripts.
add("你好，世界！今天天气怎么样？", "智能体之间传递的消息必须完整。", "これはテストです。カタカナとひらがな", "안녕하세요, 세계! 한국어", "สวัสดีครับ ภาษาไทยไม่มีช่องว่าง", "مرحبا بالعالم، كَيْفَ الحال؟",
  "שָׁלוֹם עולם", "नमस्ते दुनिया, क्षत्रिय कि", "தமிழ் மொழி", "Привет, мир! ЁЖИК", "Γειά σου Κόσμε", "Tiếng Việt có dấu", "ქართული ენა", "አማርኛ", "ភាសាខ្មែរ");
// Emoji.
add("😀", "😀😀😀", "👩‍👩‍👧‍👦", "👍🏽", "🇩🇪🇫🇷", "1️⃣", "❤️", "a😀b", " 😀\n\n", "🏳️‍🌈!", "\u200d\u200d");

// Symbols, code, data.
add("!!!\n\n\nabc", "...\r\n", "//\n//\n", "a/b//c/\n/", " /path/to/file\n", "--- a\n+++ b\n", "```go\nfunc main() {\n\tprintln(\"hi\")\n}\n```\n", "if (a<=b&&c!=d) { return x->y; } // why\n",
  "def f(x):\n    if x:\n        return  x**2\n\n\n    # done\n", "<div class=\"a\">\n  <p>Hi &amp; bye</p>\n</div>", "SELECT * FROM t WHERE id='1';--",
  '{"id":"h-1","to":{"agent":"coder"},"n":[1,2.50,1e-9,null,true],"s":"a\\n\\u00e9"}', '{\n  "a": [\n    1,\n    2\n  ]\n}\n',
  "aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0IHRleHQ=", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
  "https://example.com/a?b=c&d=%20e#f", "2026-01-31T23:59:59.123Z", "user@example.com", "$1,234.56 (−5%)", "“quoted” — text…", "C:\\Users\\me\\file.txt");
// What looks like a special token is text.
add("<|endoftext|>", "a<|fim_prefix|>b<|fim_middle|>c<|fim_suffix|>", "<|endofprompt|>", "<|im_start|>system<|im_sep|>", "<|start|>assistant<|channel|>final<|message|>");

// English, and words that are no tokens.
add("The receiver checks that the message is complete before it goes on with the work.", "I'll say it's what they'd've done, WE'RE sure.", "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis", "Zxqvbn wkzjfh QWRTPSDFG");
// Long pieces.
for (const unit of ["a", "A", "ab", " ", "\n", "\t", "0", "中", "é", "!", "=", "-", "'s", "\u0301", "👩\u200d", "\n ", "xyz"])
  for (const times of [2, 3, 7, 16, 33, 97, 130]) add(unit.repeat(times));
const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
for (let i = 0; i < 20; i++) add(draw(base64, 60 + 20 * i));
const mixed = [..."aA1 .'\n/", "中", "\u0301", "ǅ", "ʰ", "😀", "\u00a0", "the", "'LL", " of", "क"];
for (let i = 0; i < 150; i++) add(draw(mixed, 3 + random(20)));

const rows = [...texts].map((t) => JSON.stringify([t, ...encoders.map((e) => e.encode_ordinary(t).length)]));
console.log(`{"encodings": ${JSON.stringify(names)},\n"vectors": [\n${rows.join(",\n")}\n]}`);
