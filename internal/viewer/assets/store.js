// The details of handoffs: from the blocks of the document, or from the server of the page. A block
// is unpacked when a handoff in it is opened, and few blocks are kept.

const blocksKept = 4;

class Store {
  constructor() {
    this.url = document.body.dataset.details;
    this.kept = new Map(); // first handoff of a block → promise of its details, the oldest first
  }

  // details returns a promise of the details of a handoff.
  async details(i) {
    const [first, load] = this.url === undefined ? await this.block(i) : [i, () => this.fetched(i)];
    let block = this.kept.get(first);
    this.kept.delete(first);
    block ??= load();
    this.kept.set(first, block);
    if (this.kept.size > blocksKept) this.kept.delete(this.kept.keys().next().value);
    try {
      return (await block)[i - first];
    } catch (error) {
      this.kept.delete(first);
      throw error;
    }
  }

  async fetched(i) {
    const response = await fetch(this.url + i);
    if (!response.ok) throw new Error(`the server answers ${response.status} ${response.statusText}`);
    return response.json();
  }

  async block(i) {
    const element = await this.element(i);
    return [Number(element.dataset.first), () => unpacked(element.textContent)];
  }

  // element waits for the element of a block while the document is being read: it is complete when
  // another element follows it.
  async element(i) {
    for (;;) {
      const read = document.readyState !== 'loading';
      const element = this.find(i);
      if (element && (read || element.nextSibling)) return element;
      if (read) throw new Error('the file ends before this handoff');
      await new Promise((resolve) => { setTimeout(resolve, 30); });
    }
  }

  find(i) {
    const all = document.querySelectorAll('script[type="application/gzip"]');
    let from = 0, to = all.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (Number(all[middle].dataset.first) <= i) from = middle + 1;
      else to = middle;
    }
    const element = all[from - 1];
    return element && i < Number(element.dataset.first) + Number(element.dataset.count) ? element : null;
  }
}

// unpacked decodes JSON that was compressed with gzip and encoded in base64.
async function unpacked(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}
