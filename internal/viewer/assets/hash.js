// The hash of the URL contains the state of the page, so that a link shows the same to others.
// Tasks and handoffs are identified by their ids, or by their index if an id is missing or not
// unique.

const blank = Object.freeze({task: -1, view: 'tree', open: -1, tab: 'received', at: '', q: '', agent: '', as: '', status: '', rule: '', min: '', max: '', sort: '', keys: ''});
const choices = {
  view: ['tree', 'timeline', 'agents', 'boundaries'],
  tab: ['received', 'changes', 'findings', 'json', 'evidence'],
  as: ['', 'sender', 'receiver'],
  sort: ['', 'cost', 'tokens', 'findings', 'time', 'handoffs'],
  keys: ['', 'off'],
};
const texts = ['q', 'agent', 'status', 'rule', 'min', 'max', 'at'];

function readHash(hash, model) {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const state = {...blank};
  for (const name of texts) state[name] = given.get(name) ?? '';
  for (const [name, allowed] of Object.entries(choices)) {
    const value = given.get(name) ?? blank[name];
    state[name] = allowed.includes(value) ? value : blank[name];
  }
  state.task = named(given, 'task', model.taskIDs, model.tasks.length);
  state.open = named(given, 'handoff', model.handoffIDs, model.handoffs.length);
  if (model.tasks.length === 1) state.task = 0;
  if (state.open >= 0) state.task = model.taskOf[state.open];
  return state;
}

function named(given, name, ids, length) {
  const id = given.get(name);
  if (id !== null) return ids.get(id) ?? -1;
  const at = given.get(name + '-at') ?? '';
  return /^\d{1,9}$/.test(at) && Number(at) < length ? Number(at) : -1;
}

function writeHash(state, model) {
  const given = new URLSearchParams();
  const name = (key, i, list, ids) => {
    if (i < 0) return;
    if (ids.get(list[i].id) === i) given.set(key, list[i].id);
    else given.set(key + '-at', i);
  };
  if (model.tasks.length > 1 && state.open < 0) name('task', state.task, model.tasks, model.taskIDs);
  name('handoff', state.open, model.handoffs, model.handoffIDs);
  for (const key of [...texts, ...Object.keys(choices)]) {
    const ofPanel = key === 'tab' || key === 'at';
    if (state[key] !== blank[key] && !(ofPanel && state.open < 0)) given.set(key, state[key]);
  }
  return given.toString();
}
