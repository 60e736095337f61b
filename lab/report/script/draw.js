// Draws the charts that can be seen, in the colours and the width that they need now.

const kinds = { bars, lines, boxes, flame };

function draw(place) {
  const chart = charts[place.dataset.chart];
  const width = printing ? printPx : place.clientWidth;
  if (width === 0) return;
  if (drawn.has(place)) drawn.get(place).dispose();
  const { height, option, choose } = kinds[chart.kind](chart, width);
  place.style.height = height + 'px';
  const view = echarts.init(place, null, { renderer: 'svg', width, height });
  view.setOption({ animation: false, textStyle: { fontFamily: 'system-ui, sans-serif' }, ...option });
  if (choose) {
    view.on('click', item => {
      choose(item.dataIndex);
      setTimeout(() => draw(place)); // not while the library still handles the click
    });
  }
  place.dataset.width = width;
  drawn.set(place, view);
}

const open = place => !place.closest('details:not([open])');
const drawAll = () => places.filter(open).forEach(draw);

for (const details of document.querySelectorAll('details')) {
  details.addEventListener('toggle', () => {
    if (details.open && !printing) places.filter(p => details.contains(p) && open(p)).forEach(draw);
  });
}

let frame = 0;
addEventListener('resize', () => {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(() => {
    if (!printing) places.filter(p => open(p) && +p.dataset.width !== p.clientWidth).forEach(draw);
  });
});

// Colours: as the system has them, or as chosen.
const buttons = document.querySelectorAll('[data-theme-choice]');
function setTheme(theme) {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  drawAll();
}
for (const button of buttons) {
  button.addEventListener('click', () => {
    buttons.forEach(b => b.setAttribute('aria-pressed', String(b === button)));
    setTheme(button.dataset.themeChoice);
  });
}
document.querySelector('.switch').hidden = false;
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);

// On paper everything is open, light, and as wide as paper.
let before = null;
addEventListener('beforeprint', () => {
  before = { theme: root.dataset.theme, closed: [...document.querySelectorAll('details:not([open])')] };
  printing = true;
  before.closed.forEach(d => { d.open = true; });
  setTheme('light');
});
addEventListener('afterprint', () => {
  if (!before) return;
  printing = false;
  before.closed.forEach(d => { d.open = false; });
  setTheme(before.theme);
  before = null;
});
