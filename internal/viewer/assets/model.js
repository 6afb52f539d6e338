// The data of the page, and values that are computed from it on demand.

class Model {
  constructor(index) {
    Object.assign(this, {title: index.title, rules: index.rules ?? [], tasks: index.tasks ?? [], handoffs: index.handoffs ?? [], unread: index.unread ?? []});
    this.taskOf = new Int32Array(this.handoffs.length).fill(-1);
    this.tasks.forEach((task, t) => this.taskOf.fill(t, task.first, task.first + task.count));
    this.texts = new Array(this.handoffs.length);
    this.summaries = new Array(this.tasks.length);
    this.forests = new Array(this.tasks.length);
    this.handoffIDs = uniqueIDs(this.handoffs);
    this.taskIDs = uniqueIDs(this.tasks);
  }

  // text returns the searched text, in lower case.
  text(i) {
    const h = this.handoffs[i];
    return this.texts[i] ??= [
      h.id, h.from, h.to, h.title, ...(h.receivers ?? []), h.status, h.reason, h.format, ...(h.lost ?? []).map((l) => l.message),
      ...(h.rules ?? []).map((r) => this.ruleID(r)),
    ].filter(Boolean).join('\n').toLowerCase();
  }

  ruleID(rule) {
    return this.rules[rule]?.id ?? '';
  }

  // summary returns the values of a row of the list of tasks that are computed from its handoffs.
  summary(t) {
    return this.summaries[t] ??= this.summarize(this.tasks[t]);
  }

  summarize(task) {
    const agents = new Set();
    let from = Infinity, to = -Infinity, time = '';
    for (let i = task.first; i < task.first + task.count; i++) {
      const h = this.handoffs[i];
      if (h.from) agents.add(h.from);
      if (h.to) agents.add(h.to);
      if (!time) time = h.time;
      for (const at of [h.at, ...(h.events ?? []).map((e) => e.at)]) {
        if (at === undefined) continue;
        from = Math.min(from, at);
        to = Math.max(to, at);
      }
    }
    const tokens = task.total.prompt + task.total.completion;
    return {agents: [...agents], from, took: to > from ? to - from : 0, time, tokens};
  }

  forest(t) {
    return this.forests[t] ??= new Forest(this.handoffs, this.tasks[t]);
  }
}

// uniqueIDs maps unique ids to their indices.
function uniqueIDs(list) {
  const ids = new Map();
  list.forEach(({id}, i) => {
    if (id) ids.set(id, ids.has(id) ? -1 : i);
  });
  return ids;
}

function agentName(name) {
  return name || '(no name)';
}

// isUnnamed reports whether a handoff names no agent, like a history of a model.
function isUnnamed(h) {
  return !h.from && !h.to && !h.receivers?.length;
}

// rowName returns the name of a row for type-ahead.
function rowName(h) {
  return isUnnamed(h) ? h.title || h.format : agentName(h.from);
}

function between(h) {
  if (isUnnamed(h)) return h.title || `${h.format} conversation`;
  const more = (h.receivers?.length ?? 0) > 1 ? ` (${h.receivers.length} receivers)` : '';
  return `${agentName(h.from)} → ${agentName(h.to || h.receivers?.[0])}${more}`;
}
