// JSON values for people: names with their values, without braces and quotes.

const elementsShown = 30, deepestValue = 5;

// valueView shows a value of an opened handoff, with its findings.
function valueView(opened, document, row, depth = 0) {
  const findings = opened.findingsAt(document, row);
  switch (document.kind[row]) {
  case kindString:
    return textBlock(document.string(row), findings, opened.model);
  case kindObject:
  case kindArray:
    return containerView(opened, document, row, depth, findings);
  default:
    return el('span', {class: `scalar ${kinds[document.kind[row]]}`}, document.raw(row), findings.map((f) => note(f, opened.model)));
  }
}

function containerView(opened, document, row, depth, findings) {
  const notes = findings.map((f) => note(f, opened.model));
  const isObject = document.kind[row] === kindObject;
  const children = [...document.children(row)];
  if (children.length === 0) return el('span', {class: 'scalar nothing-in-it'}, isObject ? 'nothing: {}' : 'nothing: []', notes);
  if (depth >= deepestValue) return [notes, textBlock(document.raw(row), [], opened.model)];
  const list = el(isObject ? 'dl' : 'ol', {class: isObject ? 'members' : 'elements'});
  const add = (from, to) => children.slice(from, to).forEach((child) => {
    const value = valueView(opened, document, child, depth + 1);
    if (isObject) list.append(el('div', {}, el('dt', {}, document.name(child)), el('dd', {}, value)));
    else list.append(el('li', {}, value));
  });
  add(0, elementsShown);
  if (children.length <= elementsShown) return el('div', {}, notes, list);
  const more = el('button', {type: 'button', class: 'plain-button', onclick: () => { more.remove(); add(elementsShown); }}, `Show all ${grouped(children.length)}`);
  return el('div', {}, notes, list, more);
}
