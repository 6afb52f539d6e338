// The place of a time on an axis. Long stretches without events are shortened, and marked.

const gapWidth = 0.04; // of the axis, for a gap
const gapShare = 0.2; // the minimum share of the whole time for a gap

class TimeScale {
  // spans are [from, to] in milliseconds, in any order.
  constructor(spans) {
    const sorted = [...spans].sort((a, b) => a[0] - b[0]);
    this.from = sorted[0]?.[0] ?? 0;
    this.to = sorted.reduce((to, span) => Math.max(to, span[1]), this.from);
    if (this.to === this.from) this.to = this.from + 1;
    this.gaps = this.findGaps(sorted);
    const idle = this.gaps.reduce((sum, [from, to]) => sum + to - from, 0);
    this.perMillisecond = (1 - gapWidth * this.gaps.length) / (this.to - this.from - idle);
  }

  findGaps(sorted) {
    const gaps = [];
    let end = this.from;
    for (const [from, to] of sorted) {
      if (from - end > gapShare * (this.to - this.from)) gaps.push([end, from]);
      end = Math.max(end, to);
    }
    return gaps;
  }

  // at returns the place of a time, from 0 to 1.
  at(time) {
    let active = time - this.from, before = 0;
    for (const [from, to] of this.gaps) {
      if (time <= from) break;
      const through = Math.min(1, (time - from) / (to - from));
      active -= Math.min(time, to) - from;
      before += gapWidth * through;
    }
    return Math.max(0, Math.min(1, before + active * this.perMillisecond));
  }

  // timeAt is the inverse.
  timeAt(place) {
    let rest = place;
    let from = this.from;
    for (const [gapFrom, gapTo] of this.gaps) {
      const width = (gapFrom - from) * this.perMillisecond;
      if (rest <= width) break;
      rest -= width;
      if (rest <= gapWidth) return gapFrom + (rest / gapWidth) * (gapTo - gapFrom);
      rest -= gapWidth;
      from = gapTo;
    }
    return from + rest / this.perMillisecond;
  }
}
