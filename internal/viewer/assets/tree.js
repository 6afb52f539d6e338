// The handoffs of a task as a tree.

const deepest = 10; // indented levels; deeper ones show their depth as a number

class TreeView {
  constructor(model, t, page) {
    Object.assign(this, {model, page, task: model.tasks[t], forest: model.forest(t), folded: new Set()});
    this.list = new List({
      label: 'Handoffs, as a tree', role: 'treegrid', class: this.hasStatus() ? 'handoffs' : 'handoffs without-status', head: headRow(['Handoff', 'Status', 'Findings', 'USD', 'Tokens', 'Time']),
      empty: 'No handoff matches the filter.', row: (i) => this.row(this.order[i]), open: (i) => page.open(this.order[i]),
      name: (i) => rowName(model.handoffs[this.order[i]]), key: (event, i) => this.key(event, i), clicked: (event, i) => this.clicked(event, i),
    });
    this.element = this.list.frame;
  }

  // hasStatus reports whether the status of any handoff is known.
  hasStatus() {
    const {first, count} = this.task;
    return this.model.handoffs.slice(first, first + count).some((h) => h.status);
  }

  show(state, matches) {
    this.filter = isFiltered(state) ? new Set(matches) : null;
    this.refresh(state.open);
  }

  refresh(open) {
    const first = this.task.first;
    const local = this.filter ? this.forest.order : this.forest.shown(this.folded);
    this.order = local.map((i) => i + first);
    if (this.filter) this.order = this.order.filter((i) => this.filter.has(i));
    this.list.show(this.order.length, this.order.indexOf(open));
  }

  opened(i) {
    this.list.select(this.order.indexOf(i));
    this.list.renew();
  }

  row(i) {
    const h = this.model.handoffs[i];
    const local = i - this.task.first;
    const below = this.forest.below[local];
    const folded = this.folded.has(local);
    const element = gridRow(i === this.page.state.open ? 'is-open' : '', [
      ['handoff', this.gutter(local), this.fold(local), el('span', {class: 'what'},
        el('span', {class: 'agents'}, agents(h)), signedMark(h), lostChip(h), el('span', {class: 'title'}, h.title), folded && el('span', {class: 'hidden-count'}, ` ${plural(below, 'handoff')} folded`))],
      ['state', statusMark(h.status), retries(h)],
      ['findings', problems(h.errors, h.warnings)],
      ['number usd', isZero(h.step) ? '' : usd(h.step.usd)],
      ['number tokens', tokensOf(h.step)],
      ['time', clock(h.time)],
    ], {'aria-level': this.forest.level[local] + 1, 'aria-expanded': below > 0 ? !folded : null});
    place(element, {'--level': Math.min(deepest, this.forest.level[local])});
    return element;
  }

  // gutter draws the lines from a parent to its children.
  gutter(local) {
    const {forest} = this;
    const level = Math.min(deepest, forest.level[local]);
    const lines = el('span', {class: 'gutter', 'aria-hidden': 'true'});
    if (this.filter) return lines;
    const line = (name, at) => lines.append(place(el('span', {class: `rail ${name}`}), {'--at': at}));
    for (const at of forest.rails(local)) {
      if (at < deepest) line('through', at);
    }
    if (forest.isBranch(local)) line(forest.isLast[local] ? 'last-branch' : 'branch', level - 1);
    else if (forest.parent[local] >= 0) line('above', level);
    if (forest.below[local] > 0 && !this.folded.has(local)) line('below', level);
    if (forest.level[local] > deepest) lines.append(place(el('span', {class: 'depth'}, `${forest.level[local]}`), {'--at': level}));
    return lines;
  }

  fold(local) {
    if (this.forest.below[local] === 0 || this.filter) return el('span', {class: 'dot', 'aria-hidden': 'true'});
    return el('span', {class: `folder ${this.folded.has(local) ? 'folded' : ''}`, 'aria-hidden': 'true'}, glyph('open'));
  }

  clicked(event, i) {
    if (!event.target.closest('.folder')) return false;
    this.setFolded(i, !this.folded.has(this.order[i] - this.task.first));
    return true;
  }

  setFolded(i, folded) {
    const handoff = this.order[i];
    if (folded) this.folded.add(handoff - this.task.first);
    else this.folded.delete(handoff - this.task.first);
    const scroll = this.list.element.scrollTop;
    this.refresh(handoff);
    this.list.element.scrollTop = scroll;
    this.list.draw();
  }

  // key folds and unfolds, and goes to the parent.
  key(event, i) {
    if (i < 0 || this.filter || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return false;
    const local = this.order[i] - this.task.first;
    const folded = this.folded.has(local), below = this.forest.below[local] > 0;
    if (event.key === 'ArrowRight') {
      if (folded) this.setFolded(i, false);
      else if (below) this.list.select(i + 1);
    } else if (below && !folded) {
      this.setFolded(i, true);
    } else if (this.forest.parent[local] >= 0) {
      this.list.select(this.order.indexOf(this.forest.parent[local] + this.task.first));
    }
    return true;
  }
}

// agents shows the sender and the receiver of a handoff, or the kind of a conversation without
// agents.
function agents(h) {
  if (isUnnamed(h)) return el('bdi', {class: 'agent'}, `${h.format} conversation`);
  return [el('bdi', {class: 'agent'}, firstLine(agentName(h.from), 80)), el('span', {class: 'arrow'}, ' → '), el('bdi', {class: 'agent'}, firstLine(agentName(h.to || h.receivers?.[0]), 80)),
    (h.receivers?.length ?? 0) > 1 && el('span', {class: 'more-receivers'}, ` +${h.receivers.length - 1}`)];
}

function signedMark(h) {
  return h.signed && el('span', {class: 'signed', title: 'signed'}, glyph('signed'), el('span', {class: 'unseen'}, 'signed'));
}

function tokensOf(cost) {
  const all = cost.prompt + cost.completion;
  return all > 0 ? grouped(all) : '';
}

// lostChip shows the number of losses at the boundary before a handoff.
function lostChip(h) {
  const lost = h.lost ?? [];
  if (lost.length === 0) return null;
  return el('span', {class: `lost-chip severity ${worst(lost)}`, title: lost.map((l) => l.message).join('\n')}, glyph('lost'), `${grouped(lost.length)} at the boundary`);
}

function retries(h) {
  const attempts = Math.max(0, ...(h.events ?? []).map((e) => e.attempt ?? 0));
  return attempts > 1 ? el('span', {class: 'retries', title: `${attempts} attempts`}, glyph('retry'), `×${attempts}`) : null;
}
