// The changes of a message since the one that its sender received.

const sameWords = 160; // characters of an unchanged run that are shown at each end

function changesView(opened, panel) {
  const {details, model} = opened;
  const changes = details.changes ?? [];
  const other = model.handoffs[details.compared];
  if (!other) return el('p', {class: 'empty'}, 'There is no previous message to compare this one with.');
  const head = el('p', {class: 'aside'}, 'Compared with the message that the sender received: ', el('button', {type: 'button', class: 'link', onclick: () => panel.page.open(details.compared)}, between(other)), `. ${plural(changes.length + (details.moreChanges ?? 0), 'change')}.`);
  if (changes.length === 0) return el('div', {}, head, el('p', {class: 'empty'}, 'The two messages have the same content.'));
  const list = new Growing(changes.length, (k) => changeItem(changes[k], opened, panel), {class: 'changes', role: 'list', 'aria-label': 'Changes'});
  return el('div', {}, head, list.element, notHere(details.moreChanges, 'change'));
}

// notHere states the number of items that the page does not contain.
function notHere(count, one) {
  return count > 0 && el('p', {class: 'empty'}, `${plural(count, `more ${one}`)} ${count === 1 ? 'is' : 'are'} not on this page. The command in a terminal shows all.`);
}

function changeItem(change, opened, panel) {
  const removed = change.kind === 'removed';
  const place = removed ? el('code', {class: 'pointer'}, change.pointer || 'the whole message') : el('button', {type: 'button', class: 'quiet pointer', title: 'Show it in the JSON', onclick: () => panel.showAt(change.pointer, false)}, change.pointer || 'the whole message');
  return el('div', {class: `change ${change.kind}`, role: 'listitem'},
    el('p', {class: 'change-head'}, el('span', {class: 'kind'}, change.kind), place, change.from && el('span', {class: 'from'}, ' from ', el('code', {}, change.from))),
    change.runs ? el('div', {class: 'text runs'}, change.runs.flatMap(runNodes)) : [
      change.old && el('del', {class: 'text'}, said('removed'), textBlock(jsonText(change.old), [], opened.model)),
      change.new && el('ins', {class: 'text'}, said('added'), textBlock(jsonText(change.new), [], opened.model)),
    ]);
}

// said names a change that is shown by colour and lines, for screen readers.
function said(word) {
  return el('span', {class: 'unseen'}, `${word}: `);
}

// jsonText returns a string without quotes, and any other value as JSON.
function jsonText(raw) {
  return raw.startsWith('"') ? unquote(raw) : raw;
}

function runNodes(run) {
  if (run.same) return sameRun(run.same);
  return [run.old && el('del', {}, said('removed'), run.old), run.new && el('ins', {}, said('added'), run.new)];
}

// sameRun folds the middle of a long run.
function sameRun(text) {
  if (text.length < 3 * sameWords) return [text];
  const from = wholeCharacter(text, sameWords), to = wholeCharacter(text, text.length - sameWords);
  const hidden = el('button', {type: 'button', class: 'plain-button', onclick: () => hidden.replaceWith(textNodes(text.slice(from, to)))}, `${grouped(to - from)} unchanged characters`);
  return [text.slice(0, from), hidden, text.slice(to)];
}
