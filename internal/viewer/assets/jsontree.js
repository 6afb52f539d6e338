// The JSON of a message: a tree that folds, with numbers, members and their order as in the text,
// and the complete selected value below it.

const openAtFirst = 400; // values: smaller documents are unfolded initially
const previewLength = 160;

class JSONTree {
  constructor(opened, panel) {
    Object.assign(this, {opened, panel, hits: [], hit: -1});
    this.list = new List({
      label: 'JSON of the message', role: 'tree', class: 'json', row: (i) => this.row(this.rows[i]), open: (i) => this.toggle(i),
      key: (event, i) => this.key(event, i), name: (i) => this.document.name(this.rows[i]), moved: (i) => this.inspect(this.rows[i]),
      clicked: (event) => !event.target.closest('.folder'),
    });
    this.inspector = el('div', {class: 'inspector', role: 'region', 'aria-label': 'Selected value', tabindex: 0});
    this.count = el('span', {class: 'matches', role: 'status'});
    this.field = searchField('Search names and values', (text) => this.search(text));
    this.input = this.field.querySelector('input');
    this.input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      this.step(event.shiftKey ? -1 : 1);
      event.preventDefault();
    });
    const button = (label, shape, act) => el('button', {type: 'button', class: 'quiet', 'aria-label': label, title: label, onclick: act}, glyph(shape));
    this.which = el('select', {'aria-label': 'Which document', onchange: () => this.choose(this.which.value === 'context')}, el('option', {value: 'message'}, 'the message'), el('option', {value: 'context'}, 'its context'));
    this.which.hidden = !opened.details.context;
    this.all = el('button', {type: 'button', class: 'plain-button', onclick: () => this.unfoldAll()}, 'Unfold all');
    this.element = el('div', {class: 'json-view'},
      el('div', {class: 'toolbar-line'}, this.which, this.field, button('Previous match', 'previous', () => this.step(-1)), button('Next match', 'next', () => this.step(1)), this.count, this.all,
        copyButton('the message', () => this.text(), el('span', {class: 'caption'}, 'Copy'))),
      this.list.frame, this.inspector);
    this.choose(false);
  }

  text() {
    return this.inContext ? this.opened.details.context : this.opened.details.message;
  }

  // choose shows the message, or its context.
  choose(inContext) {
    this.inContext = inContext;
    this.which.value = inContext ? 'context' : 'message';
    this.document = inContext ? this.opened.context : this.opened.message;
    if (!this.document) {
      fill(this.inspector, unreadable(this.opened));
      this.list.frame.hidden = true;
      return;
    }
    this.unfolded = new Uint8Array(this.document.length);
    this.unfold(this.document.length <= openAtFirst ? Infinity : 1);
    this.refresh(0);
    this.inspect(0);
    this.search(this.input.value);
  }

  unfold(depth) {
    const {document} = this;
    const depths = new Int32Array(document.length);
    for (let row = 0; row < document.length; row++) {
      if (row > 0) depths[row] = depths[document.parent[row]] + 1;
      if (depths[row] < depth) this.unfolded[row] = 1;
    }
  }

  unfoldAll() {
    const row = this.rows[Math.max(0, this.list.active)];
    this.unfold(Infinity);
    this.refresh(row);
  }

  // refresh computes the visible rows, and activates one.
  refresh(active) {
    const {document} = this;
    const rows = [];
    for (let row = 0; row < document.length;) {
      rows.push(row);
      row = document.isContainer(row) && !this.unfolded[row] ? document.after[row] : row + 1;
    }
    this.rows = rows;
    this.list.show(rows.length, lastAtMost(rows, active));
  }

  row(row) {
    const {document} = this;
    const depth = document.depth(row);
    const container = document.isContainer(row);
    const findings = this.opened.findingsAt(document, row);
    const element = el('div', {role: 'treeitem', class: `row ${this.hits[this.hit] === row ? 'hit' : ''}`, 'aria-level': depth + 1, 'aria-expanded': container && document.after[row] > row + 1 ? this.unfolded[row] === 1 : null},
      container ? el('span', {class: `folder ${this.unfolded[row] ? '' : 'folded'}`, 'aria-hidden': 'true'}, glyph('open')) : el('span', {class: 'no-folder'}),
      document.parent[row] >= 0 && [el('span', {class: document.hasName(row) ? 'key' : 'element'}, firstLine(document.name(row), 80)), el('span', {class: 'colon'}, ': ')],
      this.preview(row, findings), this.isAgain(row) && el('span', {class: 'severity warning'}, glyph('warning'), 'duplicate name'),
      findings.map((f) => el('span', {class: `inline-note ${f.severity}`}, severityMark(f.severity), ' ', firstLine(f.message, 160))));
    return place(element, {'--level': Math.min(depth, 24)});
  }

  preview(row, findings) {
    const {document} = this;
    const kind = kinds[document.kind[row]];
    if (document.isContainer(row)) {
      const count = document.after[row] === row + 1 ? 0 : document.count(row);
      const [open, close] = document.kind[row] === kindObject ? ['{', '}'] : ['[', ']'];
      return el('span', {class: `scalar ${kind}`}, count === 0 ? open + close : `${open} ${plural(count, document.kind[row] === kindObject ? 'member' : 'element')} ${close}`);
    }
    const start = document.start[row];
    const raw = document.text.slice(start, Math.min(document.end[row], start + previewLength));
    return el('span', {class: `scalar ${kind}`}, this.marked(raw, findings), raw.length < document.end[row] - start && '…');
  }

  // marked marks the words of findings in the raw text of a string, in which an escape is longer
  // than its character.
  marked(raw, findings) {
    const ranges = findings.filter((f) => f.words).map((f) => ({finding: f, from: rawOffset(raw, f.words[0]), to: rawOffset(raw, f.words[1])}));
    const points = [...new Set([0, raw.length, ...ranges.flatMap((r) => [r.from, r.to])])].sort((a, b) => a - b);
    return points.slice(1).map((to, k) => marking(raw.slice(points[k], to), ranges.filter((r) => r.from < to && r.to > points[k])));
  }

  // isAgain reports whether an earlier member of the same object has the same name.
  isAgain(row) {
    const {document} = this;
    const parent = document.parent[row];
    if (!document.hasName(row)) return false;
    this.names ??= new Map();
    if (!this.names.has(parent)) {
      const names = new Map();
      for (const child of document.children(parent)) if (!names.has(document.name(child))) names.set(document.name(child), child);
      this.names.set(parent, names);
    }
    return this.names.get(parent).get(document.name(row)) !== row;
  }

  toggle(i) {
    const row = this.rows[i];
    if (!this.document.isContainer(row)) return;
    this.unfolded[row] ^= 1;
    const scroll = this.list.element.scrollTop;
    this.refresh(row);
    this.list.element.scrollTop = scroll;
    this.list.draw();
  }

  key(event, i) {
    if (i < 0 || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return false;
    const {document} = this;
    const row = this.rows[i];
    const folds = document.isContainer(row) && document.after[row] > row + 1;
    if (event.key === 'ArrowRight') {
      if (folds && !this.unfolded[row]) this.toggle(i);
      else if (folds) this.list.select(i + 1);
    } else if (folds && this.unfolded[row]) {
      this.toggle(i);
    } else if (document.parent[row] >= 0) {
      this.list.select(lastAtMost(this.rows, document.parent[row]));
    }
    return true;
  }

  // inspect shows a value in full.
  inspect(row) {
    const {document} = this;
    const pointer = document.pointer(row);
    const findings = this.opened.findingsAt(document, row);
    fill(this.inspector,
      el('div', {class: 'inspector-head'}, el('code', {class: 'pointer'}, pointer || 'the whole document'),
        copyButton('the pointer', () => pointer, 'Pointer'), copyButton('the value', () => document.raw(row), 'Value')),
      document.kind[row] === kindString ? textBlock(document.string(row), findings, this.opened.model) :
        [findings.map((f) => note(f, this.opened.model)), !document.isContainer(row) && el('span', {class: 'scalar'}, document.raw(row))]);
    this.inspector.scrollTop = 0;
  }

  // showAt unfolds the ancestors of a value, and selects it.
  showAt(row) {
    const {document} = this;
    for (let up = document.parent[row]; up >= 0; up = document.parent[up]) this.unfolded[up] = 1;
    this.refresh(row);
    this.inspect(row);
  }

  showPointer(pointer, inContext) {
    if (this.inContext !== inContext) this.choose(inContext);
    if (!this.document) return;
    let row = this.document.at(pointer);
    for (; row < 0 && pointer; row = this.document.at(pointer)) pointer = pointer.slice(0, pointer.lastIndexOf('/'));
    this.showAt(Math.max(0, row));
  }

  search(text) {
    this.hits = text && this.document ? found(this.document, text.toLowerCase()) : [];
    this.hit = -1;
    if (this.hits.length > 0) this.step(1);
    else if (this.document) this.list.renew();
    this.tell(text);
  }

  step(by) {
    if (this.hits.length === 0) return;
    this.hit = (this.hit + by + this.hits.length) % this.hits.length;
    this.showAt(this.hits[this.hit]);
    this.tell(this.input.value);
  }

  tell(text) {
    fill(this.count, this.hits.length > 0 ? `${grouped(this.hit + 1)} of ${plural(this.hits.length, 'match', 'matches')}` : text ? 'no match' : '');
  }

  focus() {
    this.list.focus();
  }

  close() {
    this.list.close();
  }
}

// found returns the values whose name or own text contains the words.
function found(document, words) {
  const rows = [];
  for (let row = 0; row < document.length; row++) {
    const named = document.hasName(row) && document.name(row).toLowerCase().includes(words);
    if (named || (!document.isContainer(row) && scalarText(document, row).toLowerCase().includes(words))) rows.push(row);
  }
  return rows;
}

function scalarText(document, row) {
  return document.kind[row] === kindString ? document.string(row) : document.raw(row);
}

// lastAtMost returns the index of the last of ascending numbers that is at most a given number.
function lastAtMost(list, most) {
  let from = 0, to = list.length - 1;
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    if (list[middle] <= most) from = middle;
    else to = middle - 1;
  }
  return from;
}

// rawOffset returns the offset in the raw text of a string of a unit of the decoded text.
function rawOffset(raw, units) {
  let at = 1;
  for (; units > 0 && at < raw.length; units--) at += raw[at] !== '\\' ? 1 : raw[at + 1] === 'u' ? 6 : 2;
  return Math.min(at, raw.length);
}
