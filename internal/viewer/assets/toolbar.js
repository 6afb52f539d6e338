// The search and the filters of a task.

class Toolbar {
  // change(patch) is called with the changed members of the state.
  constructor(model, task, change) {
    this.change = change;
    this.controls = new Map();
    const found = facets(model, task);
    const options = (entries, word = (x) => x) => entries.map(([value, count]) => [value, `${word(value)} (${grouped(count)})`]);
    this.count = el('p', {class: 'matches'});
    this.fields = el('div', {class: 'fields', id: newID('filters')},
      this.select('agent', 'Agent', [['', 'any'], ...options(found.agents)]),
      this.select('as', 'as', [['', 'sender or receiver'], ['sender', 'sender'], ['receiver', 'receiver']]),
      this.select('status', 'Status', [['', 'any'], ...options(found.statuses, statusWord)]),
      this.select('rule', 'Rule', [['', 'any'], ...options(found.rules)]),
      this.amount('min', 'USD from'), this.amount('max', 'to'));
    this.toggle = el('button', {type: 'button', class: 'plain-button', 'aria-expanded': false, 'aria-controls': this.fields.id, onclick: () => this.unfold(this.fields.hidden)}, 'Filters');
    this.clear = el('button', {type: 'button', class: 'plain-button', onclick: () => this.cleared()}, 'Clear');
    this.element = el('div', {class: 'toolbar', role: 'search', 'aria-label': 'Handoffs'},
      el('div', {class: 'toolbar-line'}, searchField('Search handoffs', (q) => change({q}), this.controls), this.toggle, this.clear, this.count), this.fields);
    this.unfold(false);
  }

  select(name, label, entries) {
    const control = el('select', {onchange: () => this.change({[name]: control.value})}, entries.map(([value, text]) => el('option', {value}, firstLine(text, 60))));
    this.controls.set(name, control);
    return el('label', {}, el('span', {}, label), control);
  }

  amount(name, label) {
    const control = el('input', {type: 'text', inputmode: 'decimal', size: 7, placeholder: '0.00', oninput: () => this.change({[name]: control.value.trim()})});
    this.controls.set(name, control);
    return el('label', {}, el('span', {}, label), control);
  }

  unfold(open) {
    this.fields.hidden = !open;
    this.toggle.setAttribute('aria-expanded', open);
  }

  cleared() {
    this.change(Object.fromEntries(filterNames.map((name) => [name, ''])));
    this.controls.get('q').focus();
  }

  // show shows a state, and the number of matching handoffs.
  show(state, matches, all) {
    for (const [name, control] of this.controls) {
      if (control.value !== state[name]) control.value = state[name];
    }
    const active = filterNames.filter((name) => name !== 'q' && name !== 'as' && state[name] !== '').length;
    fill(this.toggle, active > 0 ? `Filters (${active})` : 'Filters');
    if (active > 0) this.unfold(true);
    this.clear.hidden = !isFiltered(state);
    const text = isFiltered(state) ? `${grouped(matches)} of ${plural(all, 'handoff')} match` : plural(all, 'handoff');
    fill(this.count, text);
    if (isFiltered(state)) announce(text);
  }

  focus() {
    this.controls.get('q').select();
    this.controls.get('q').focus();
  }
}

function searchField(label, change, controls) {
  const control = el('input', {type: 'search', placeholder: label, 'aria-label': label, 'aria-keyshortcuts': '/', autocomplete: 'off', spellcheck: 'false', oninput: () => change(control.value)});
  controls?.set('q', control);
  return el('label', {class: 'search'}, glyph('search'), control);
}
