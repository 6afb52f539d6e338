// The losses from one message to the next, between the two.

class BoundariesView {
  constructor(model, t, page) {
    Object.assign(this, {model, page, forest: model.forest(t), task: model.tasks[t]});
    this.list = new List({
      label: 'Losses at boundaries', role: 'grid', class: 'boundaries', measured: true, empty: 'Nothing was lost, changed or miscounted at the boundaries of these handoffs.',
      row: (i) => this.row(this.order[i]), open: (i) => page.open(this.order[i]), name: (i) => rowName(model.handoffs[this.order[i]]),
    });
    this.element = el('div', {class: 'view'}, this.list.frame);
  }

  show(state, matches) {
    const shown = new Set(matches.filter((i) => (this.model.handoffs[i].lost ?? []).length > 0));
    this.order = this.forest.order.map((i) => i + this.task.first).filter((i) => shown.has(i));
    this.list.show(this.order.length, this.order.indexOf(state.open));
  }

  opened(i) {
    this.list.select(this.order.indexOf(i));
    this.list.renew();
  }

  row(i) {
    const h = this.model.handoffs[i];
    const parent = this.model.handoffs[h.parent];
    return gridRow(i === this.page.state.open ? 'boundary is-open' : 'boundary', [['crossing',
      el('span', {class: 'side'}, el('span', {class: 'side-name'}, 'sent'), parent ? [agents(parent), el('span', {class: 'title'}, parent.title)] : 'the previous message is missing'),
      el('span', {class: 'losses'}, h.lost.map((l) => lossLine(this.model, l))),
      el('span', {class: 'side'}, el('span', {class: 'side-name'}, 'then'), agents(h), el('span', {class: 'title'}, h.title)),
    ]]);
  }
}

function lossLine(model, lost) {
  return el('span', {class: 'loss'}, severityMark(lost.severity), el('code', {class: 'rule', title: model.rules[lost.rule]?.summary}, model.ruleID(lost.rule)), el('span', {class: 'message'}, lost.message));
}
