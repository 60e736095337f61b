// What all charts are made of: colours, numbers, tooltips, axes and legends. All texts come from the page.

const charts = JSON.parse(document.getElementById('charts').textContent) || [];
const names = JSON.parse(document.getElementById('names').textContent) || [];
const root = document.documentElement;
const places = [...document.querySelectorAll('[data-chart]')];
const drawn = new Map(); // place to chart of the library
const charPx = 6.8; // of the labels' font, roughly
const barGap = '10%';
const categoryGap = '30%';
const printPx = 680; // fits A4 and US letter
let printing = false;

// colour reads a colour of the style sheet, which knows light and dark: an element that has it says which.
const probe = document.body.appendChild(document.createElement('span'));
const colour = name => {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
};
const palette = i => colour('c' + i % 8);

const digits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const number = v => v !== 0 && Math.abs(v) < 0.001 ? v.toExponential(1) : digits.format(v);

// tooltip shows text as text: names of variants and functions are not the page's.
function tooltip(text) {
  return {
    confine: true,
    backgroundColor: colour('panel'),
    borderColor: colour('line'),
    textStyle: { color: colour('text'), fontSize: 13 },
    formatter: item => {
      const box = document.createElement('div');
      box.style.whiteSpace = 'normal';
      box.style.maxWidth = '20rem';
      box.style.overflowWrap = 'anywhere';
      box.textContent = text(item);
      return box;
    },
  };
}

function valueAxis(chart, values) {
  const axis = {
    type: chart.log ? 'log' : 'value',
    name: chart.log ? chart.unit + ', logarithmic' : chart.unit,
    nameLocation: 'middle',
    nameGap: 26,
    nameTextStyle: { color: colour('soft') },
    axisLabel: { color: colour('soft'), formatter: number, hideOverlap: true },
    splitLine: { lineStyle: { color: colour('line') } },
    axisLine: { show: false },
  };
  if (chart.log) {
    axis.min = axis.startValue = 10 ** Math.floor(Math.log10(Math.min(...values)));
    axis.max = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  }
  return axis;
}

function labelPx(chart, width) {
  const longest = Math.max(...chart.categories.map(c => c.length));
  return Math.min(longest * charPx + 4, 0.38 * width);
}

function categoryAxis(chart, width) {
  return {
    type: 'category',
    data: chart.categories.map((_, i) => i), // two variants may share a label
    inverse: true,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: colour('line') } },
    axisLabel: {
      interval: 0,
      color: colour('text'),
      width: labelPx(chart, width),
      overflow: 'truncate',
      formatter: i => chart.categories[i],
    },
  };
}

function legend(entries, width, least = 2) {
  const rows = entries.reduce(([rows, used], e) => {
    const px = e.length * charPx + 45;
    return used + px > width ? [rows + 1, px] : [rows, used + px];
  }, [1, 0])[0];
  return {
    height: entries.length < least ? 0 : rows * 24,
    option: {
      show: entries.length >= least, data: entries, top: 0, left: 0, width: width - 10, itemGap: 12,
      textStyle: { color: colour('text'), fontSize: 12 }, inactiveColor: colour('line'),
    },
  };
}

function flat(chart, pick) {
  return chart.series.flatMap((s, si) => s.points.flatMap((p, i) => pick(p, i, si)));
}
