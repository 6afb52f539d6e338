// The costs of each agent of a task.

class AgentsView {
  constructor(model, t, page) {
    Object.assign(this, {model, page, spenders: model.tasks[t].spenders ?? []});
    this.most = {
      usd: Math.max(...this.spenders.map((s) => Number(s.cost.usd) || 0), 1e-12),
      tokens: Math.max(...this.spenders.map((s) => s.cost.prompt + s.cost.completion), 1),
    };
    this.list = new List({
      label: 'Agents by cost', role: 'grid', class: 'spenders', head: headRow(['Agent', 'Handoffs', 'USD', 'Tokens', 'Prompt', 'Completion']),
      empty: 'No costs are known.', row: (i) => this.row(this.shown[i]), open: (i) => page.go({agent: this.shown[i].agent, as: '', view: 'tree'}),
      name: (i) => agentName(this.shown[i].agent),
    });
    this.element = el('div', {class: 'view'}, this.list.frame);
    this.order = [];
  }

  // show shows the agents of the matching handoffs.
  show(state, matches) {
    this.order = [...matches];
    const {handoffs} = this.model;
    const agents = new Set();
    if (isFiltered(state)) matches.forEach((i) => [handoffs[i].from, handoffs[i].to].forEach((a) => agents.add(a)));
    this.shown = isFiltered(state) ? this.spenders.filter((s) => agents.has(s.agent)) : this.spenders;
    this.list.show(this.shown.length);
  }

  opened() {}

  row(spender) {
    const {usd: money, prompt, completion} = spender.cost;
    return gridRow('', [
      ['name', el('bdi', {class: 'agent'}, firstLine(agentName(spender.agent), 120))],
      ['number', grouped(spender.handoffs)],
      ['measure', meter(Number(money) / this.most.usd, 'money'), el('span', {class: 'value'}, usd(money))],
      ['measure', meter(prompt / this.most.tokens, 'prompt', completion / this.most.tokens), el('span', {class: 'value'}, grouped(prompt + completion))],
      ['number', grouped(prompt)],
      ['number', grouped(completion)],
    ]);
  }
}

// meter draws one or two parts of a bar; the number is beside it.
function meter(share, kind, second = 0) {
  return el('span', {class: 'meter', 'aria-hidden': 'true'}, place(el('span', {class: `fill ${kind}`}), {width: percent(Math.max(0, share) || 0)}), second > 0 && place(el('span', {class: 'fill completion'}), {width: percent(second)}));
}
