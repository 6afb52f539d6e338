// The handoffs of a task over time: a row for each, with its events.

const ends = new Set(['COMPLETED', 'EXECUTION_FAILED', 'REJECTED', 'ROLLED_BACK', 'ESCALATED', 'DEAD_LETTERED', 'DISCARDED']);

// legendShapes are the shapes in the legend: shape, tone and meaning.
const legendShapes = [
  ['sent', 'plain', 'sent'], ['handed', 'plain', 'handed over'], ['done', 'good', 'completed'], ['failed', 'bad', 'rejected or failed'], ['retry', 'bad', 'another attempt'],
  ['back', 'bad', 'rolled back'], ['warning', 'bad', 'escalated'], ['pause', 'bad', 'waits for a person'],
];

class TimelineView {
  constructor(model, t, page) {
    Object.assign(this, {model, page, task: model.tasks[t], forest: model.forest(t), known: new Map()});
    this.axis = el('span', {role: 'columnheader', class: 'cell axis'});
    const head = el('div', {role: 'row', class: 'row', 'aria-rowindex': 1}, el('span', {role: 'columnheader', class: 'cell'}, 'Handoff'), this.axis);
    this.list = new List({
      label: 'Handoffs, over time', role: 'grid', class: 'timeline', head, empty: 'No handoff matches the filter.', row: (i) => this.row(this.order[i]),
      open: (i) => page.open(this.order[i]), name: (i) => rowName(model.handoffs[this.order[i]]), scrolled: (first, last) => this.scrolled(first, last),
    });
    this.legend = el('div', {class: 'legend'});
    this.near = el('button', {type: 'button', class: 'plain-button', 'aria-pressed': false, onclick: () => this.zoom()}, 'Scale to the rows in view');
    this.element = el('div', {class: 'view'}, el('div', {class: 'legend-line'}, this.legend, this.near), this.list.frame);
  }

  // explain shows a legend of the shapes in use.
  explain() {
    const spans = this.order.map((i) => this.spans(i));
    const shapes = new Set(spans.flatMap((s) => s.marks.map((m) => m.shape)));
    const kinds = new Set(spans.flatMap((s) => s.stretches.map((stretch) => stretch.kind)));
    const item = (sample, text) => el('span', {class: 'legend-item'}, sample, text);
    const bar = (kind) => el('span', {class: `bar-sample ${kind}`});
    fill(this.legend, legendShapes.filter(([shape]) => shapes.has(shape)).map(([shape, tone, text]) => item(el('span', {class: tone}, glyph(shape)), text)),
      kinds.has('waiting') && item(bar('waiting'), 'in transit'), kinds.has('working') && item(bar('working'), 'agent running'), this.scale.gaps.length > 0 && item(bar('gap'), 'no activity'));
  }

  show(state, matches) {
    const began = (i) => this.spans(i).from ?? Number.MAX_VALUE;
    this.order = [...matches].sort((a, b) => began(a) - began(b) || a - b);
    this.rescale(this.order);
    this.explain();
    this.list.show(this.order.length, this.order.indexOf(state.open));
  }

  opened(i) {
    this.list.select(this.order.indexOf(i));
    this.list.renew();
  }

  zoom() {
    const near = this.near.getAttribute('aria-pressed') !== 'true';
    this.near.setAttribute('aria-pressed', near);
    if (near) this.scrolled(...this.list.inView());
    else this.rescaled(this.order);
  }

  scrolled(first, last) {
    if (this.near.getAttribute('aria-pressed') !== 'true') return;
    const key = `${first} ${last}`;
    if (key === this.range) return;
    this.range = key;
    this.rescaled(this.order.slice(first, last + 1));
  }

  rescaled(handoffs) {
    this.rescale(handoffs);
    this.list.renew();
  }

  rescale(handoffs) {
    const spans = handoffs.map((i) => this.spans(i)).filter((s) => s.from !== undefined);
    this.scale = new TimeScale(spans.map((s) => [s.from, s.to]));
    this.untimed = spans.length === 0;
    this.drawAxis();
  }

  drawAxis() {
    const {scale} = this;
    const ticks = [0, 0.2, 0.4, 0.6, 0.8].map((at) => place(el('span', {class: 'tick'}, at === 0 ? clockTime(scale.from) : `+${duration(scale.timeAt(at) - scale.from)}`), {left: `${at * 100}%`}));
    fill(this.axis, el('span', {class: 'unseen'}, 'Time'), el('span', {class: 'ticks', 'aria-hidden': 'true'}, this.untimed ? [] : ticks));
  }

  // spans returns the beginning and the end of a handoff, its stretches, and its marks.
  spans(i) {
    if (!this.known.has(i)) {
      const h = this.model.handoffs[i];
      this.known.set(i, h.events?.length > 0 ? eventSpans(h) : this.messageSpan(i, h));
    }
    return this.known.get(i);
  }

  // messageSpan uses only the times of messages: a receiver works until it sends a message itself.
  messageSpan(i, h) {
    if (h.at === undefined) return {stretches: [], marks: []};
    const next = this.forest.children[i - this.task.first].map((c) => this.model.handoffs[c + this.task.first].at).filter((at) => at >= h.at);
    const to = next.length > 0 ? Math.max(...next) : h.at;
    const marks = [{shape: 'sent', word: 'sent', tone: 'plain', at: h.at}];
    if (to === h.at) return {from: h.at, to, stretches: [], marks};
    marks.push({shape: 'handed', word: 'handed on', tone: 'plain', at: to});
    return {from: h.at, to, stretches: [{kind: 'working', from: h.at, to}], marks};
  }

  row(i) {
    const h = this.model.handoffs[i];
    const {from, to, stretches, marks} = this.spans(i);
    const track = el('span', {class: 'track', 'aria-hidden': 'true'});
    for (const [gapFrom, gapTo] of this.scale.gaps) {
      const at = this.scale.at(gapFrom);
      track.append(place(el('span', {class: 'gap', title: `nothing for ${duration(gapTo - gapFrom)}`}), {left: percent(at), width: percent(this.scale.at(gapTo) - at)}));
    }
    for (const stretch of stretches) {
      const at = this.scale.at(stretch.from);
      track.append(place(el('span', {class: `bar ${stretch.kind}`, title: `${stretch.kind} ${duration(stretch.to - stretch.from)}`}), {left: percent(at), width: percent(this.scale.at(stretch.to) - at)}));
    }
    for (const mark of marks) track.append(place(el('span', {class: `mark ${mark.tone}`, title: `${mark.word}, ${utc(mark.at)}`}, glyph(mark.shape)), {left: percent(this.scale.at(mark.at))}));
    track.append(this.lastWord(marks, to - from));
    return gridRow(i === this.page.state.open ? 'is-open' : '', [
      ['handoff', el('span', {class: 'what'}, el('span', {class: 'agents'}, agents(h)))],
      ['lane', track, el('span', {class: 'unseen'}, inWords(marks, h))],
    ]);
  }

  // lastWord shows the meaning of the last mark beside it, and earlier failures.
  lastWord(marks, took) {
    const last = marks.at(-1);
    if (!last) return el('span', {class: 'word'}, 'no time');
    const at = this.scale.at(last.at);
    const words = marks.filter((m) => m === last || m.tone === 'bad').map((m) => m.word).slice(-4).join(', ');
    const text = took > 0 ? `${words} · ${duration(took)}` : words;
    const word = el('span', {class: `word ${last.tone} ${at > 0.6 ? 'before' : ''}`}, text);
    return place(word, at > 0.6 ? {right: percent(1 - this.scale.at(marks[0].at))} : {left: percent(at)});
  }
}

function eventSpans(h) {
  const {events} = h;
  const marks = [], stretches = [];
  if (h.at < events[0].at) marks.push({shape: 'sent', word: 'written', tone: 'plain', at: h.at});
  let handed, sent = marks[0]?.at;
  for (const event of events) {
    const [shape, tone] = eventShape(event.name);
    const again = (event.attempt ?? 1) > 1 && event.name === 'HANDED_OVER';
    marks.push({shape: again ? 'retry' : shape, word: again ? `attempt ${event.attempt}` : statusWord(event.name), tone: again ? 'bad' : tone, at: event.at});
    if (sent === undefined) sent = event.at;
    if (event.name === 'ACCEPTED') stretches.push({kind: 'waiting', from: sent, to: event.at});
    if (event.name === 'HANDED_OVER') {
      handed = event.at;
    } else if (ends.has(event.name)) {
      if (event.ran) stretches.push({kind: 'working', from: event.at - event.ran, to: event.at});
      else if (handed !== undefined) stretches.push({kind: 'working', from: handed, to: event.at});
      handed = undefined;
    }
  }
  const times = [...marks.map((m) => m.at), ...stretches.map((s) => s.from)];
  return {from: Math.min(...times), to: Math.max(...times), stretches, marks};
}

function inWords(marks, h) {
  if (marks.length === 0) return 'no time';
  const start = marks[0].at;
  const words = marks.map((m, k) => (k === 0 ? `${m.word} ${h.time ? clock(h.time) : utc(m.at)}` : `${m.word} after ${duration(m.at - start)}`));
  return words.join(', ');
}

function percent(share) {
  return `${(share * 100).toFixed(3)}%`;
}

function clockTime(ms) {
  return utc(ms).replace(/\.\d+ UTC$/, ' UTC');
}
