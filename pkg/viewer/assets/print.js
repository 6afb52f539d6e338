// On paper, lists are whole, up to a limit.

const rowsPrinted = 2000, itemsPrinted = 500;

function printing(page) {
  let unfolded = [];
  addEventListener('beforeprint', () => {
    unfolded = [page.view?.list, page.panel.view?.list].filter(Boolean);
    unfolded.forEach((list) => list.unfold(rowsPrinted));
    page.panel.body.querySelectorAll('details').forEach((d) => { d.open = true; });
  });
  addEventListener('afterprint', () => unfolded.forEach((list) => list.fold()));
}
