// On paper, lists are complete, up to a limit.

const rowsPrinted = 2000, stepsPrinted = 12; // limits for growing and folded lists in the open handoff

function printing(page) {
  let unfolded = [];
  addEventListener('beforeprint', () => {
    unfolded = [page.view?.list, page.panel.view?.list].filter(Boolean);
    unfolded.forEach((list) => list.unfold(rowsPrinted));
    unfoldPanel(page.panel.body);
  });
  addEventListener('afterprint', () => unfolded.forEach((list) => list.fold()));
}

// unfoldPanel unfolds the open handoff, and adds more of its long lists to the document.
function unfoldPanel(body) {
  body.querySelectorAll('details').forEach((details) => {
    details.open = true;
    details.dispatchEvent(new Event('toggle')); // browsers send it only after printing has begun
  });
  for (let step = 0; step < stepsPrinted; step++) {
    body.querySelectorAll('.more:not([hidden]), .unfold').forEach((button) => button.click());
  }
}
