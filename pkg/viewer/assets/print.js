// On paper, lists are whole, up to a limit.

const rowsPrinted = 2000, stepsPrinted = 12; // of what grows or is folded in the open handoff

function printing(page) {
  let unfolded = [];
  addEventListener('beforeprint', () => {
    unfolded = [page.view?.list, page.panel.view?.list].filter(Boolean);
    unfolded.forEach((list) => list.unfold(rowsPrinted));
    unfoldPanel(page.panel.body);
  });
  addEventListener('afterprint', () => unfolded.forEach((list) => list.fold()));
}

// unfoldPanel shows what is folded in the open handoff, and puts more of what is long into the document.
function unfoldPanel(body) {
  body.querySelectorAll('details').forEach((details) => {
    details.open = true;
    details.dispatchEvent(new Event('toggle')); // which comes by itself only after the printer has begun
  });
  for (let step = 0; step < stepsPrinted; step++) {
    body.querySelectorAll('.more:not([hidden]), .unfold').forEach((button) => button.click());
  }
}
