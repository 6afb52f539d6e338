// The trees of the handoffs of a task, in reading order: a parent before its children, and a branch
// before the next one.
//
// Only a fork increases the depth: an only child has the depth of its parent, so that a chain of
// thousands is not indented.

class Forest {
  constructor(handoffs, task) {
    this.first = task.first;
    const n = task.count;
    this.children = Array.from({length: n}, () => []);
    this.parent = new Int32Array(n).fill(-1);
    const roots = [];
    for (let i = 0; i < n; i++) {
      const parent = handoffs[task.first + i].parent - task.first;
      if (parent >= 0 && parent < i) {
        this.parent[i] = parent;
        this.children[parent].push(i);
      } else {
        roots.push(i);
      }
    }
    this.level = new Int32Array(n);
    this.isLast = new Uint8Array(n); // whether it is the last of its siblings
    this.head = new Int32Array(n); // the first handoff of its chain
    this.order = [];
    this.walk(roots);
    this.position = new Int32Array(n); // in reading order
    this.order.forEach((i, at) => { this.position[i] = at; });
    this.below = new Int32Array(n); // the number of descendants
    for (let i = n - 1; i >= 0; i--) {
      if (this.parent[i] >= 0) this.below[this.parent[i]] += this.below[i] + 1;
    }
  }

  walk(roots) {
    const stack = [...roots].reverse();
    roots.forEach((i) => { this.head[i] = i; });
    while (stack.length > 0) {
      const i = stack.pop();
      this.order.push(i);
      const children = this.children[i];
      const forks = children.length > 1;
      for (let k = children.length - 1; k >= 0; k--) {
        const child = children[k];
        this.level[child] = this.level[i] + (forks ? 1 : 0);
        this.head[child] = forks ? child : this.head[i];
        this.isLast[child] = k === children.length - 1 ? 1 : 0;
        stack.push(child);
      }
    }
  }

  // isBranch reports whether a handoff is one of several children.
  isBranch(i) {
    return this.parent[i] >= 0 && this.head[i] === i;
  }

  // rails yields the levels at which a line passes a row, from the deepest: a later branch begins
  // there.
  *rails(i) {
    for (let head = this.head[i]; this.parent[head] >= 0; head = this.head[this.parent[head]]) {
      if (head !== i && !this.isLast[head]) yield this.level[head] - 1;
    }
  }

  // shown returns the order without the descendants of folded handoffs.
  shown(folded) {
    const list = [];
    for (let at = 0; at < this.order.length;) {
      const i = this.order[at];
      list.push(i);
      at += folded.has(i) ? this.below[i] + 1 : 1;
    }
    return list;
  }
}
