// The page: it shows the state in the hash, and actions of the user change the hash.

const views = [['tree', 'Tree', TreeView], ['timeline', 'Timeline', TimelineView], ['agents', 'Agents', AgentsView], ['boundaries', 'Boundaries', BoundariesView]];

const hashDelay = 120;

class Page {
  constructor(model) {
    this.model = model;
    this.state = {...blank};
    this.order = []; // the shown handoffs, for the next and the previous one
    this.header = document.getElementById('header');
    this.main = document.getElementById('main');
    this.panel = new Panel(model, new Store(), this);
    this.keys = new Keys(this);
    shortcuts.active = this.keys;
    this.theme = el('button', {type: 'button', class: 'plain-button theme', onclick: () => this.nextTheme()});
    this.setTheme('system');
    this.top = el('div', {class: 'bar'});
    this.totals = el('div', {class: 'totals'});
    this.trouble = new Trouble(model, this);
    append(this.header, [this.top, this.totals, this.trouble.element]);
    document.querySelector('.skip').addEventListener('click', (event) => {
      event.preventDefault();
      (this.view ?? this.panel).focus();
    });
    addEventListener('hashchange', () => this.arrived());
    printing(this);
  }

  // arrived shows the state in the hash, after the user has gone back, forward, or to a link.
  arrived() {
    if (location.hash.replace('#', '') === this.written) return; // set by the page itself, perhaps a later one
    clearTimeout(this.pending);
    const state = readHash(location.hash, this.model);
    if (writeHash(state, this.model) === writeHash(this.state, this.model)) return;
    const closes = this.state.open >= 0 && state.open < 0;
    this.show(state);
    if (closes) this.giveBack();
  }

  // go changes the state. With instead, it replaces the current entry of the browser's history.
  go(patch, instead = false) {
    this.show({...this.state, ...patch});
    clearTimeout(this.pending);
    if (instead) {
      const before = location.hash;
      this.pending = setTimeout(() => this.settle(before), hashDelay);
    } else location.hash = this.written = writeHash(this.state, this.model);
  }

  // settle writes the hash after the user has stopped typing: browsers allow only a few changes per
  // second. It does not replace a hash that the user has followed meanwhile.
  settle(before) {
    if (location.hash !== before) return;
    this.written = writeHash(this.state, this.model);
    location.replace('#' + this.written);
  }

  show(state) {
    const before = this.state;
    this.state = state;
    const another = state.task !== before.task || !this.frame;
    if (another) this.showTask(state.task);
    if (state.task < 0) {
      if (another || state.q !== before.q || state.sort !== before.sort) this.view.show(state);
    } else if (another || state.view !== before.view || filterNames.some((name) => state[name] !== before[name])) {
      this.showView(state);
    }
    if (state.open !== before.open || state.tab !== before.tab || state.at !== before.at || another) {
      this.panel.show(state);
      if (Math.max(state.open, before.open) >= 0) this.view.opened?.(state.open >= 0 ? state.open : before.open);
    }
  }

  // showTask puts the frame of a task, or of the list of tasks, into the page.
  showTask(t) {
    this.view?.list?.close();
    this.view = null;
    this.views = new Map();
    const {model} = this;
    const title = t < 0 ? model.title : taskName(model, t);
    document.title = t < 0 || title === model.title ? model.title : `${title} – ${model.title}`;
    fill(this.top, model.tasks.length > 1 && t >= 0 && el('button', {type: 'button', class: 'plain-button', onclick: () => this.go({...blank, keys: this.state.keys})}, '← All tasks'),
      el('h1', {}, title), el('span', {class: 'bar-buttons'}, this.theme, el('button', {type: 'button', class: 'plain-button', 'aria-keyshortcuts': '?', onclick: () => this.keys.show()}, 'Keys')));
    fill(this.totals, t < 0 ? overviewTotals(model) : taskTotals(model, t), (t < 0 || model.tasks.length === 1) && unread(model));
    this.trouble.show(t);
    if (t < 0) {
      this.view = new Overview(model, this);
      this.frame = this.view.element;
      this.toolbar = this.view;
      this.order = [];
    } else {
      this.taskFrame(t);
    }
    fill(this.main, this.frame);
  }

  taskFrame(t) {
    this.toolbar = new Toolbar(this.model, this.model.tasks[t], (patch) => this.go(patch, true));
    this.body = el('div', {class: 'view-body'});
    this.tabs = new Tabs('Views', views, this.body, (view) => this.go({view}));
    const lost = this.countLost(t);
    if (lost > 0) this.tabs.note('boundaries', grouped(lost), 'warning');
    this.frame = el('section', {class: 'task', 'aria-label': 'Handoffs'}, this.toolbar.element, this.tabs.element, this.body);
  }

  countLost(t) {
    const {first, count} = this.model.tasks[t];
    let lost = 0;
    for (let i = first; i < first + count; i++) lost += this.model.handoffs[i].lost?.length ?? 0;
    return lost;
  }

  showView(state) {
    const {model} = this;
    const task = model.tasks[state.task];
    const matches = matching(model, task, state);
    this.tabs.select(state.view);
    if (!this.views.has(state.view)) {
      const [, , View] = views.find(([name]) => name === state.view);
      this.views.set(state.view, new View(model, state.task, this));
    }
    const view = this.views.get(state.view);
    if (this.view !== view) fill(this.body, view.element);
    this.view = view;
    view.show(state, matches);
    this.order = view.order;
    this.toolbar.show(state, matches.length, task.count);
  }

  // open opens a handoff, and moves the focus to it. The first one opens on its findings, if it has any.
  open(i) {
    this.back ??= document.activeElement;
    const {errors, warnings} = this.model.handoffs[i];
    const tab = this.state.open >= 0 ? this.state.tab : errors || warnings ? 'findings' : 'received';
    this.go({open: i, tab, at: ''}, this.state.open >= 0);
    this.panel.focus();
  }

  step(by) {
    const at = this.order.indexOf(this.state.open);
    const next = this.order[at + by];
    if (at < 0 || next === undefined) return announce(by > 0 ? 'This is the last handoff.' : 'This is the first handoff.');
    const inPanel = this.panel.element.contains(document.activeElement);
    this.go({open: next, at: ''}, true);
    if (inPanel) this.panel.focus();
    announce(between(this.model.handoffs[next]));
  }

  close() {
    this.go({open: -1, at: ''});
    this.giveBack();
  }

  // giveBack returns the focus to the element from which the handoff was opened.
  giveBack() {
    const {back} = this;
    this.back = null;
    if (back?.isConnected && back !== document.body && !this.panel.element.contains(back)) back.focus({preventScroll: true});
    else this.view.list.focus();
  }

  focusSearch() {
    if (this.state.open >= 0 && (this.panel.element.contains(document.activeElement) || !wide.matches)) this.panel.focusSearch();
    else (this.toolbar.focusSearch ?? this.toolbar.focus).call(this.toolbar);
  }

  nextTheme() {
    const themes = ['system', 'light', 'dark'];
    this.setTheme(themes[(themes.indexOf(this.shownTheme) + 1) % themes.length]);
  }

  setTheme(theme) {
    this.shownTheme = theme;
    document.documentElement.dataset.theme = theme;
    fill(this.theme, `Theme: ${theme}`);
  }
}

function total(name, content, note) {
  return el('div', {class: 'total'}, el('dt', {}, name), el('dd', {}, content, note && el('span', {class: 'total-note'}, note)));
}

function taskTotals(model, t) {
  const task = model.tasks[t];
  const {took, time} = model.summary(t);
  const {usd: money, prompt, completion} = task.total;
  return [
    el('dl', {}, task.id && taskName(model, t) !== task.id && total('Task', el('code', {class: 'id'}, task.id), copyButton('the id', () => task.id)), total('Spent', usd(money)), task.remainingUSD && total('Budget left', usd(task.remainingUSD)), total('Tokens', grouped(prompt + completion), `${grouped(prompt)} in, ${grouped(completion)} out`),
      total('Handoffs', grouped(task.count)), total('Took', took > 0 ? duration(took) : '–', time && `from ${clock(time)}`),
      total('Errors', el('span', {class: task.errors ? 'severity error' : 'calm'}, task.errors > 0 && glyph('error'), grouped(task.errors))),
      total('Warnings', el('span', {class: task.warnings ? 'severity warning' : 'calm'}, task.warnings > 0 && glyph('warning'), grouped(task.warnings)))),
    task.doubt && el('p', {class: 'doubt-line'}, severityMark('warning', 'in doubt'), ' ', task.doubt),
    task.command && el('p', {class: 'command'}, el('span', {class: 'fact-name'}, 'in a terminal'), el('code', {tabindex: 0}, task.command), copyButton('the command', () => task.command)),
  ];
}

function overviewTotals(model) {
  const sum = (of) => model.tasks.reduce((all, task) => all + of(task), 0);
  const errors = sum((t) => t.errors), warnings = sum((t) => t.warnings);
  return el('dl', {}, total('Tasks', grouped(model.tasks.length)), total('Handoffs', grouped(model.handoffs.length)),
    total('Errors', el('span', {class: errors ? 'severity error' : 'calm'}, errors > 0 && glyph('error'), grouped(errors))),
    total('Warnings', el('span', {class: warnings ? 'severity warning' : 'calm'}, warnings > 0 && glyph('warning'), grouped(warnings))));
}

function unread(model) {
  if (model.unread.length === 0) return null;
  return el('details', {class: 'unread'}, el('summary', {}, severityMark('warning', `${plural(model.unread.length, 'part')} could not be read`)), el('ul', {}, model.unread.map((line) => el('li', {}, line))));
}

const thePage = new Page(new Model(JSON.parse(document.getElementById('index').textContent)));
thePage.show(readHash(location.hash, thePage.model));
performance.mark('handoff-ready');
