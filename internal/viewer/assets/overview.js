// The list of tasks.

const taskOrders = {
  cost: (model) => (t) => -Number(model.tasks[t].total.usd),
  tokens: (model) => (t) => -model.summary(t).tokens,
  findings: (model) => (t) => -(model.tasks[t].errors * 1e6 + model.tasks[t].warnings),
  time: (model) => (t) => -model.summary(t).from,
  handoffs: (model) => (t) => -model.tasks[t].count,
};

class Overview {
  constructor(model, page) {
    this.model = model;
    this.tasks = [];
    this.list = new List({
      label: 'Tasks', role: 'grid', class: 'tasks', head: headRow(['Task', 'Agents', 'Handoffs', 'Findings', 'USD', 'Tokens', 'Began', 'Took']), empty: 'No task matches.',
      row: (i) => this.row(this.tasks[i]), open: (i) => page.go({task: this.tasks[i], q: '', sort: ''}), name: (i) => this.model.tasks[this.tasks[i]].id,
    });
    this.count = el('p', {class: 'matches'});
    this.search = searchField('Search tasks', (q) => page.go({q}, true));
    this.sort = el('select', {onchange: () => page.go({sort: this.sort.value}, true)},
      [['', 'as given'], ['cost', 'cost'], ['tokens', 'tokens'], ['findings', 'errors'], ['time', 'newest'], ['handoffs', 'handoffs']].map(([value, text]) => el('option', {value}, text)));
    this.element = el('section', {class: 'overview', 'aria-label': 'Tasks'},
      el('div', {class: 'toolbar', role: 'search', 'aria-label': 'Tasks'},
        el('div', {class: 'toolbar-line'}, this.search, el('label', {}, el('span', {}, 'Sort by'), this.sort), this.count)),
      this.list.frame);
  }

  show(state) {
    const {model} = this;
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    this.tasks = model.tasks.map((_, t) => t).filter((t) => words.every((word) => this.matches(t, word)));
    if (state.sort) {
      const key = taskOrders[state.sort](model);
      this.tasks.sort((a, b) => key(a) - key(b) || a - b);
    }
    const input = this.search.querySelector('input');
    if (input.value !== state.q) input.value = state.q;
    this.sort.value = state.sort;
    const text = words.length > 0 ? `${grouped(this.tasks.length)} of ${plural(model.tasks.length, 'task')} match` : plural(model.tasks.length, 'task');
    fill(this.count, text);
    if (words.length > 0) announce(text);
    this.list.show(this.tasks.length);
  }

  // matches searches the id of a task, and the text that a search in the task would search.
  matches(t, word) {
    const task = this.model.tasks[t];
    if (task.id.toLowerCase().includes(word)) return true;
    for (let i = task.first; i < task.first + task.count; i++) {
      if (this.model.text(i).includes(word)) return true;
    }
    return false;
  }

  row(t) {
    const task = this.model.tasks[t];
    const {agents, time, took, tokens} = this.model.summary(t);
    const more = agents.length > 3 ? ` +${agents.length - 3}` : '';
    return gridRow('', [
      ['name', taskName(this.model, t), task.id && el('code', {class: 'task-id'}, task.id)],
      ['agents', agents.slice(0, 3).map((a) => firstLine(a, 40)).join(', ') + more],
      ['number', grouped(task.count), el('span', {class: 'unit'}, ' handoffs')],
      ['findings', problems(task.errors, task.warnings)],
      ['number', usd(task.total.usd), task.doubt && el('span', {class: 'doubt', title: task.doubt}, ' ?', el('span', {class: 'unseen'}, ' in doubt'))],
      ['number', grouped(tokens), el('span', {class: 'unit'}, ' tokens')],
      ['time', clock(time)],
      ['number', took > 0 ? duration(took) : '–'],
    ]);
  }

  focus() {
    this.list.focus();
  }

  focusSearch() {
    const input = this.search.querySelector('input');
    input.select();
    input.focus();
  }

  close() {
    this.list.close();
  }
}

// taskName returns the description of a task's first handoff, or else its id.
function taskName(model, t) {
  const {id, first} = model.tasks[t];
  return (id && firstLine(model.handoffs[first]?.title ?? '')) || id || 'Handoffs without a task';
}

function headRow(names) {
  return el('div', {role: 'row', class: 'row', 'aria-rowindex': 1}, names.map((name) => el('span', {role: 'columnheader', class: 'cell'}, name)));
}

// gridRow returns a row of cells: [class, content…].
function gridRow(name, cells, attributes = {}) {
  return el('div', {role: 'row', class: `row ${name}`, ...attributes}, cells.map(([cell, ...content]) => el('span', {role: 'gridcell', class: `cell ${cell}`}, content)));
}
