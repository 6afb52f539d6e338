// The filter of the handoffs of a task.

const filterNames = ['q', 'agent', 'as', 'status', 'rule', 'min', 'max'];

function isFiltered(state) {
  return filterNames.some((name) => name !== 'as' && state[name] !== '');
}

// matching returns the handoffs of a task that match the filter, in order.
function matching(model, task, state) {
  const tests = filterTests(model, state);
  const found = [];
  for (let i = task.first; i < task.first + task.count; i++) {
    if (tests.every((test) => test(model.handoffs[i], i))) found.push(i);
  }
  return found;
}

function filterTests(model, state) {
  const tests = [];
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length > 0) tests.push((h, i) => words.every((word) => model.text(i).includes(word)));
  if (state.agent) {
    const sends = state.as !== 'receiver', receives = state.as !== 'sender';
    tests.push((h) => (sends && h.from === state.agent) || (receives && (h.to === state.agent || (h.receivers ?? []).includes(state.agent))));
  }
  if (state.status) tests.push((h) => (h.status ?? '') === state.status);
  if (state.rule) tests.push((h) => rulesOf(h).some((r) => model.ruleID(r) === state.rule));
  const min = amount(state.min), max = amount(state.max);
  if (min !== null) tests.push((h) => Number(h.step.usd) >= min);
  if (max !== null) tests.push((h) => Number(h.step.usd) <= max);
  return tests;
}

function amount(text) {
  const value = Number(text.replace(/^\$/, ''));
  return text === '' || Number.isNaN(value) ? null : value;
}

function rulesOf(h) {
  return [...(h.rules ?? []), ...(h.lost ?? []).map((l) => l.rule)];
}

// facets returns the choices of a filter of a task, with their numbers of handoffs.
function facets(model, task) {
  const agents = new Map(), statuses = new Map(), rules = new Map();
  const count = (map, key) => { if (key) map.set(key, (map.get(key) ?? 0) + 1); };
  for (let i = task.first; i < task.first + task.count; i++) {
    const h = model.handoffs[i];
    new Set([h.from, h.to, ...(h.receivers ?? [])]).forEach((agent) => count(agents, agent));
    count(statuses, h.status);
    new Set(rulesOf(h)).forEach((rule) => count(rules, model.ruleID(rule)));
  }
  return {agents: sortedEntries(agents), statuses: sortedEntries(statuses), rules: sortedEntries(rules)};
}

function sortedEntries(map) {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
