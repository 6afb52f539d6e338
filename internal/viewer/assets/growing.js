// A list whose items have different heights, and are read in order: it grows when its end comes
// into view.

const growBy = 40;

class Growing {
  // item(k) returns the element of an item.
  constructor(count, item, attributes = {}) {
    Object.assign(this, {count, item, shown: 0});
    this.items = el('div', attributes);
    this.more = el('button', {type: 'button', class: 'plain-button more', onclick: () => this.grow()});
    this.element = el('div', {class: 'growing'}, this.items, this.more);
    this.observer = new IntersectionObserver((entries) => {
      if (entries.some((e) => e.isIntersecting)) this.grow();
    }, {rootMargin: '600px'});
    this.grow();
    this.observer.observe(this.more);
  }

  grow() {
    this.ensure(this.shown + growBy - 1);
  }

  // ensure adds all items up to an index to the document, and returns its element.
  ensure(k) {
    const to = Math.min(this.count, k + 1);
    for (; this.shown < to; this.shown++) this.items.append(this.item(this.shown));
    this.more.hidden = this.shown >= this.count;
    fill(this.more, `Show more: ${grouped(this.count - this.shown)} are left`);
    return this.items.children[k];
  }
}
