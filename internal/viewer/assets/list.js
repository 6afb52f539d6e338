// A list of any length: only the visible rows are in the document. The list itself has the focus,
// and names its active row for assistive technology, so that rows can be added and removed.
//
// All rows have the same height, given by --row in the style sheet, or each has its height measured
// when it is first visible.

const overscan = 6; // rows before and after the visible ones
const tallest = 8000000; // the maximum height in pixels of browsers; above it, scrolling takes larger steps
const typeAheadPause = 700;

class List {
  // of: label; role (grid, treegrid or tree); row(i), which returns the element of a row; open(i,
  // row), for Enter and clicks; key(event, i), which returns true if it handled the key; name(i),
  // for type-ahead; head, the element of the column names; measured; moved(i), for a new active
  // row; empty, the text of an empty list.
  constructor(of) {
    this.of = of;
    this.count = 0;
    this.active = -1;
    this.rows = new Map();
    this.id = newID('list');
    const rowgroup = of.role === 'tree' ? 'none' : 'rowgroup';
    this.body = el('div', {class: 'rows', role: rowgroup});
    this.element = el('div', {
      class: `list ${of.class ?? ''}`, id: this.id, role: of.role, tabindex: 0, 'aria-label': of.label,
      onkeydown: (e) => this.keydown(e), onclick: (e) => this.click(e), onscroll: () => this.draw(), onfocus: () => this.focused(),
    }, of.head && el('div', {class: 'head', role: rowgroup}, of.head), this.body);
    this.nothing = el('p', {class: 'nothing', tabindex: -1, hidden: true});
    this.frame = el('div', {class: 'list-frame'}, this.element, this.nothing);
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.element);
    this.typed = '';
  }

  // show sets the number of rows.
  show(count, active = -1) {
    this.count = count;
    this.heights = this.of.measured ? new Float64Array(count).fill(this.rowHeight()) : null;
    this.active = Math.min(active, count - 1);
    if (this.of.role !== 'tree') this.element.setAttribute('aria-rowcount', count + (this.of.head ? 1 : 0));
    this.nothing.hidden = count > 0;
    this.element.hidden = count === 0;
    if (count === 0) fill(this.nothing, this.of.empty ?? 'There is nothing here.');
    this.renew();
    if (this.active >= 0) this.scrollTo(this.active);
  }

  // renew draws all rows again.
  renew() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.layout();
    this.draw();
  }

  rowHeight() {
    return this.height ??= parseFloat(getComputedStyle(this.element).getPropertyValue('--row')) || 32;
  }

  resized() {
    const before = this.height;
    this.height = undefined;
    if (this.rowHeight() !== before && before !== undefined && !this.of.measured) this.renew();
    else if (this.of.measured && this.element.clientWidth !== this.width) this.renew();
    else this.draw();
    this.width = this.element.clientWidth;
  }

  // layout computes the places of rows, and their total height.
  layout() {
    if (this.heights) {
      this.tops = new Float64Array(this.count + 1);
      for (let i = 0; i < this.count; i++) this.tops[i + 1] = this.tops[i] + this.heights[i];
    }
    const all = this.top(this.count);
    const shown = Math.min(all, tallest);
    this.body.style.height = `${shown}px`;
    const view = this.element.clientHeight;
    this.scale = shown < all ? (all - view) / (shown - view) : 1;
  }

  top(i) {
    return this.heights ? this.tops[i] : i * this.rowHeight();
  }

  // at returns the row at a height.
  at(y) {
    if (!this.heights) return Math.min(this.count - 1, Math.max(0, Math.floor(y / this.rowHeight())));
    let from = 0, to = this.count - 1;
    while (from < to) {
      const middle = (from + to + 1) >> 1;
      if (this.tops[middle] <= y) from = middle;
      else to = middle - 1;
    }
    return from;
  }

  // inView returns the first and the last visible row.
  inView() {
    const y = this.element.scrollTop * this.scale;
    return [this.at(y), this.at(y + this.element.clientHeight)];
  }

  draw() {
    if (this.unfolded || this.count === 0) return this.activate();
    const [first, last] = this.inView();
    const from = Math.max(0, first - overscan), to = Math.min(this.count - 1, last + overscan);
    for (const [i, row] of this.rows) {
      if ((i < from || i > to) && i !== this.active) {
        row.remove();
        this.rows.delete(i);
      }
    }
    for (let i = from; i <= to; i++) this.add(i);
    if (this.active >= 0) this.add(this.active);
    this.put();
    this.activate();
    if (this.heights && this.measure(first)) this.draw();
    this.of.scrolled?.(first, last);
  }

  add(i) {
    if (this.rows.has(i)) return;
    const row = this.of.row(i);
    row.id = `${this.id}-${i}`;
    row.dataset.row = i;
    if (this.of.role !== 'tree') row.setAttribute('aria-rowindex', i + (this.of.head ? 2 : 1));
    // In the order of the list, for screen readers.
    let next = null;
    for (const [j, other] of this.rows) {
      if (j > i && (next === null || j < next.j)) next = {j, other};
    }
    this.body.insertBefore(row, next?.other ?? null);
    this.rows.set(i, row);
  }

  put() {
    const offset = this.element.scrollTop * (this.scale - 1);
    for (const [i, row] of this.rows) row.style.transform = `translateY(${this.top(i) - offset}px)`;
  }

  // measure stores the heights of the rows, and reports whether one has changed.
  measure(anchor) {
    let changed = false;
    const before = this.tops[anchor];
    for (const [i, row] of this.rows) {
      const height = row.offsetHeight;
      if (height > 0 && Math.abs(height - this.heights[i]) > 0.5) {
        this.heights[i] = height;
        changed = true;
      }
    }
    if (!changed) return false;
    this.layout();
    const by = this.tops[anchor] - before;
    if (by !== 0) this.element.scrollTop += by;
    return true;
  }

  activate() {
    const row = this.rows.get(this.active);
    this.body.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', false);
    row?.setAttribute('aria-selected', true);
    if (row) this.element.setAttribute('aria-activedescendant', row.id);
    else this.element.removeAttribute('aria-activedescendant');
  }

  // select activates a row, and scrolls it into view.
  select(i) {
    if (i < 0 || i >= this.count) return;
    this.active = i;
    this.scrollTo(i);
    this.draw();
    this.of.moved?.(i);
  }

  scrollTo(i) {
    const view = this.element.clientHeight - (this.body.offsetTop || 0);
    const y = this.element.scrollTop * this.scale;
    const top = this.top(i), bottom = this.top(i + 1);
    if (top < y) this.element.scrollTop = top / this.scale;
    else if (bottom > y + view) this.element.scrollTop = (bottom - view) / this.scale;
  }

  focused() {
    if (this.active < 0 && this.count > 0) this.select(this.inView()[0]);
  }

  focus() {
    (this.count > 0 ? this.element : this.nothing).focus({preventScroll: true});
  }

  click(event) {
    const row = event.target.closest('[data-row]');
    if (!row || !this.body.contains(row)) return;
    const i = Number(row.dataset.row);
    this.select(i);
    if (!this.of.clicked?.(event, i)) this.of.open?.(i);
  }

  keydown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.element) return;
    if (this.of.key?.(event, this.active)) return event.preventDefault();
    const page = Math.max(1, this.inView()[1] - this.inView()[0] - 1);
    const to = {
      ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + page, PageUp: this.active - page, Home: 0, End: this.count - 1,
    }[event.key];
    if (to !== undefined) {
      this.select(Math.max(0, Math.min(this.count - 1, to)));
      event.preventDefault();
    } else if (event.key === 'Enter') {
      if (this.active >= 0) this.of.open?.(this.active);
      event.preventDefault();
    } else if (this.of.name && event.key.length === 1 && !isShortcut(event)) {
      this.typeAhead(event.key);
      event.preventDefault();
    }
  }

  // typeAhead goes to the next row whose name begins with the typed text.
  typeAhead(key) {
    const now = performance.now();
    if (now - this.typedAt > typeAheadPause) this.typed = '';
    this.typedAt = now;
    this.typed += key.toLowerCase();
    const again = /^(.)\1*$/u.test(this.typed); // the same letter again: the next row
    const text = again ? this.typed[0] : this.typed;
    const start = this.typed.length === 1 || again ? this.active + 1 : Math.max(0, this.active);
    for (let n = 0; n < this.count; n++) {
      const i = (start + n) % this.count;
      if (this.of.name(i).toLowerCase().startsWith(text)) return this.select(i);
    }
  }

  // unfold adds that many rows to the document, in order, for the printer; fold removes them.
  unfold(limit) {
    this.unfolded = true;
    this.element.classList.add('unfolded');
    for (let i = 0; i < Math.min(limit, this.count); i++) this.add(i);
    if (this.count > limit) this.element.append(el('p', {class: 'printed-part'}, `Only the first ${grouped(limit)} of ${grouped(this.count)} rows are printed.`));
  }

  fold() {
    this.unfolded = false;
    this.element.classList.remove('unfolded');
    this.element.querySelector('.printed-part')?.remove();
    this.draw();
  }

  close() {
    this.observer.disconnect();
  }
}
