// The data that the receiver got: the parts of the message that it reads, and the conversation.

class ReceivedView {
  constructor(opened, panel) {
    Object.assign(this, {opened, panel});
    this.element = el('div', {class: 'received'});
    const {details} = opened;
    if (!opened.context) {
      append(this.element, [unreadable(opened)]);
      return;
    }
    if (details.contextFormat) this.element.append(el('p', {class: 'aside'}, `Context of the message${details.carrier ? ` at ${details.carrier}` : ''}, in the format ${details.contextFormat}.`));
    append(this.element, [(details.sections ?? []).map((s) => this.section(s)), this.conversation(details.turns ?? [])]);
  }

  section(section) {
    const row = this.opened.context.at(section.pointer);
    if (row < 0) return null;
    return el('section', {class: 'part'},
      el('h3', {}, section.title, this.toJSON(section.pointer)), valueView(this.opened, this.opened.context, row));
  }

  toJSON(pointer) {
    return el('button', {type: 'button', class: 'quiet pointer', title: `${pointer}: show it in the JSON`, onclick: () => this.panel.showAt(pointer, Boolean(this.opened.details.context))}, firstLine(pointer, 60));
  }

  conversation(turns) {
    if (turns.length === 0) return null;
    this.turns = turns;
    this.loose = this.looseFindings(turns);
    this.results = new Map();
    this.calls = new Set();
    turns.forEach((turn, t) => (turn.parts ?? []).forEach((part) => {
      if (part.kind === 'call' && part.id) this.calls.add(part.id);
      if (part.kind === 'result' && part.id && !this.results.has(part.id)) this.results.set(part.id, {part, t});
    }));
    this.shown = turns.map((_, t) => t).filter((t) => !this.isInCalls(turns[t]));
    const list = new Growing(this.shown.length, (k) => this.turn(this.shown[k]), {class: 'turns', role: 'list', 'aria-label': 'Turns'});
    return el('section', {class: 'part conversation'}, el('h3', {}, 'Conversation', el('span', {class: 'count'}, ` ${plural(turns.length, 'turn')}`)), list.element);
  }

  // isInCalls reports whether a whole turn is shown in the calls that it answers.
  isInCalls(turn) {
    const parts = turn.parts ?? [];
    return parts.length > 0 && parts.every((p) => p.kind === 'result' && this.calls.has(p.id) && this.results.get(p.id)?.part === p);
  }

  turn(t) {
    const turn = this.turns[t];
    return el('div', {class: 'turn', role: 'listitem', 'data-role': turn.role || 'none'},
      el('div', {class: 'turn-head'}, el('span', {class: 'role'}, turn.role || 'no role'), turn.name && el('bdi', {class: 'turn-name'}, turn.name), el('span', {class: 'turn-number'}, String(t + 1))),
      el('div', {class: 'turn-body'}, this.aboutTurn(t), (turn.parts ?? []).map((part) => this.part(part, turn))));
  }

  // looseFindings returns the findings of each turn that none of its parts shows, such as those
  // about its role.
  looseFindings(turns) {
    const {details, context} = this.opened;
    const places = new Map(turns.map((turn, t) => [turn.pointer, t]));
    const loose = new Map();
    for (const finding of details.findings ?? []) {
      if (this.opened.documentOf(finding) !== context) continue;
      let place = finding.pointer;
      while (place && !places.has(place)) place = place.slice(0, place.lastIndexOf('/'));
      const t = places.get(place);
      if (t === undefined || (turns[t].parts ?? []).some((part) => isWithin(finding.pointer, part.text || part.pointer))) continue;
      loose.set(t, [...(loose.get(t) ?? []), finding]);
    }
    return loose;
  }

  aboutTurn(t) {
    return (this.loose.get(t) ?? []).map((f) => note(f, this.opened.model));
  }

  part(part, turn) {
    switch (part.kind) {
    case 'call':
      return this.call(part);
    case 'result':
      if (this.calls.has(part.id) && this.results.get(part.id)?.part === part) return null;
      return el('div', {class: 'tool'}, el('p', {class: 'tool-label'}, 'result', part.tool && [' of ', el('code', {}, part.tool)], ' without a call before it'), this.said(part, ['content', 'output', 'response', 'result']));
    case 'reasoning':
      return el('div', {class: 'reasoning'}, el('p', {class: 'tool-label'}, 'reasoning'), this.said(part, []));
    case 'said':
      return this.said(part, []);
    default:
      return el('div', {class: 'tool'}, el('p', {class: 'tool-label'}, part.kind === 'media' ? 'media' : 'other'), part.pointer === turn.pointer && !part.text ? null : this.said(part, []));
    }
  }

  // said shows the text of a part, or else its value or its most important member.
  said(part, names) {
    const {context} = this.opened;
    const row = context.at(part.text || part.pointer);
    if (row < 0) return el('p', {class: 'aside'}, `There is no value at ${part.text || part.pointer}.`);
    return valueView(this.opened, context, inside(context, row, names));
  }

  // call shows a call with its result, folded.
  call(part) {
    const {context} = this.opened;
    const row = context.at(part.pointer);
    const result = this.results.get(part.id);
    const input = row < 0 ? -1 : inside(context, inside(context, row, ['function', 'functionCall', 'toolUse']), ['arguments', 'args', 'input']);
    const preview = input < 0 ? '' : firstLine(context.kind[input] === kindString ? context.string(input) : context.raw(input), 90);
    const body = el('div', {class: 'call-body'});
    const block = el('details', {class: 'call', ontoggle: () => {
      if (!block.open || body.hasChildNodes()) return;
      append(body, [el('h4', {}, 'Call', part.id && el('code', {class: 'id'}, part.id)), input < 0 ? null : this.input(input), this.result(result)]);
    }}, el('summary', {}, el('code', {class: 'tool-name'}, part.tool || 'a tool'), el('span', {class: 'preview'}, preview), !result && el('span', {class: 'severity warning'}, glyph('warning'), 'no result'), this.problemsOf(part, result)), body);
    return block;
  }

  // problemsOf counts the findings in a call and its result.
  problemsOf(part, result) {
    const inCall = (this.opened.details.findings ?? []).filter((f) => [part.pointer, result?.part.pointer].some((p) => p && this.opened.documentOf(f) === this.opened.context && isWithin(f.pointer, p)));
    const errors = inCall.filter((f) => f.severity === 'error').length;
    return problems(errors, inCall.length - errors);
  }

  input(row) {
    const {context} = this.opened;
    const text = context.kind[row] === kindString ? context.string(row) : '';
    const inner = /^\s*[{[]/.test(text) ? this.opened.read(text) : null;
    return inner ? valueView(this.opened, inner, 0) : valueView(this.opened, context, row);
  }

  result(found) {
    if (!found) return el('p', {class: 'aside'}, 'The conversation has no result of this call.');
    return [el('h4', {}, 'Result', el('span', {class: 'turn-number'}, `turn ${found.t + 1}`)), this.aboutTurn(found.t), this.said(found.part, ['content', 'output', 'response', 'result'])];
  }
}

// isWithin reports whether a pointer is that of a value or below it.
function isWithin(pointer, value) {
  return (pointer + '/').startsWith(value + '/');
}

// inside returns the first of the given members that a value has, or the value itself.
function inside(document, row, names) {
  for (const name of names) {
    const member = document.member(row, name);
    if (member >= 0) return member;
  }
  return row;
}

// unreadable states the reason why a message cannot be shown.
function unreadable(opened) {
  const {missing, malformed, base64, message} = opened.details;
  if (missing) return el('p', {class: 'empty'}, missing);
  const why = malformed || (base64 ? 'It is not UTF-8.' : 'It cannot be read.');
  return [el('p', {class: 'empty'}, severityMark('error', 'not a message'), ' ', why), message && textBlock(message, [], opened.model)];
}
