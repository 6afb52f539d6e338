// Texts for people: long ones are shortened, and findings are marked at their words.

const foldedLines = 14, foldedLength = 1600, stepLength = 200000;
const noteReach = 240; // a note is at the end of the line, unless that is farther away

// textBlock shows a text with its findings; folded unless whole is set.
function textBlock(text, findings, model, whole = false) {
  const block = el('div', {class: 'text'});
  const show = (end) => {
    fill(block, markedText(text, findings, model, end));
    if (end < text.length) block.append(unfoldButton(text, findings, end, show));
  };
  show(whole ? Math.min(text.length, stepLength) : foldAt(text));
  return block;
}

// foldAt returns the length of the part of a text that is shown initially.
function foldAt(text) {
  let at = -1;
  for (let line = 0; line < foldedLines; line++) {
    at = text.indexOf('\n', at + 1);
    if (at < 0 || at > foldedLength) break;
  }
  const end = at < 0 || at > foldedLength ? foldedLength : at;
  return text.length < end * 1.3 ? text.length : wholeCharacter(text, end);
}

// wholeCharacter moves an end so that it does not divide a character of two units.
function wholeCharacter(text, end) {
  const c = text.charCodeAt(end - 1);
  return c >= 0xd800 && c < 0xdc00 ? end + 1 : end;
}

function unfoldButton(text, findings, end, show) {
  const hidden = findings.filter((f) => f.words && f.words[0] >= end).length;
  const next = text.length - end <= stepLength ? text.length : wholeCharacter(text, end + stepLength);
  const lines = text.split('\n').length;
  let caption = lines > 1 ? `Show all ${grouped(lines)} lines` : `Show all ${grouped(text.length)} characters`;
  if (next < text.length) caption = `Show ${grouped(next - end)} of ${grouped(text.length - end)} more characters`;
  if (hidden > 0) caption += `, with ${plural(hidden, 'finding')}`;
  return el('button', {type: 'button', class: 'plain-button unfold', onclick: () => show(next)}, caption);
}

// markedText returns the nodes of a text up to an end, with marked words of findings, and each
// finding's message at the end of the line in which its words end.
function markedText(text, findings, model, end) {
  const parts = [];
  const whole = findings.filter((f) => !f.words);
  whole.forEach((f) => parts.push(note(f, model)));
  const marks = findings.filter((f) => f.words && f.words[0] < end).map((finding) => ({finding, from: finding.words[0], to: Math.min(end, finding.words[1])}));
  const points = [...new Set([0, end, ...marks.flatMap((m) => [m.from, m.to])])].sort((a, b) => a - b);
  let due = [];
  for (let k = 0; k + 1 < points.length; k++) {
    const [from, to] = [points[k], points[k + 1]];
    const over = marks.filter((m) => m.from < to && m.to > from);
    parts.push(...piece(text.slice(from, to), over, due, model));
    due.push(...marks.filter((m) => m.to === to).map((m) => m.finding));
  }
  due.forEach((f) => parts.push(note(f, model)));
  return parts;
}

// piece returns a stretch of text with the same findings, with the notes that end in it.
function piece(text, over, due, model) {
  const parts = [];
  if (due.length > 0) {
    const line = text.indexOf('\n');
    const cut = line >= 0 && line < noteReach ? line : text.length > noteReach ? 0 : -1;
    if (cut >= 0) {
      if (cut > 0) parts.push(marking(text.slice(0, cut), over));
      parts.push(...due.splice(0).map((f) => note(f, model)));
      text = text.slice(line === cut ? cut + 1 : cut);
    }
  }
  if (text) parts.push(marking(text, over));
  return parts;
}

function marking(text, over) {
  if (over.length === 0) return textNodes(text);
  return el('mark', {class: worst(over.map((m) => m.finding))}, text);
}

// note shows a finding beside its words.
function note(finding, model) {
  return el('span', {class: `note-line ${finding.severity}`}, severityMark(finding.severity), ' ', el('span', {class: 'message'}, finding.message), ' ', ruleName(finding.rule, model));
}

function ruleName(rule, model) {
  const found = model.rules[rule];
  return found ? el('code', {class: 'rule', title: found.summary}, found.id) : null;
}
