// Draws the charts, sorts the tables and switches the colours. All texts come from the page.
'use strict';
(() => {
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

  // middle is where the bar of a series lies within its category.
  function middle(api, count, category, seriesIndex) {
    const layout = api.barLayout({ barGap, barCategoryGap: categoryGap, count })[seriesIndex];
    return { y: api.coord([0, category])[1] + layout.offsetCenter, size: layout.width };
  }

  // byRole splits a series, so that the legend tells the colours of its bars; they share their place.
  function byRole(series) {
    const roles = [['', series.name, 'ours'], ['product', 'thresh', 'product'], ['peer', 'other programs', 'peer']];
    const has = (point, role) => (point.role || '') === role;
    return roles.filter(([role]) => series.points.some(p => has(p, role))).map(([role, name, colourName]) => ({
      name,
      colour: colour(colourName),
      barGap: '-100%',
      points: series.points.map(p => has(p, role) ? p : {}),
    }));
  }

  function bars(chart, width) {
    const count = chart.stacked ? 1 : chart.series.length;
    const place = si => chart.stacked ? 0 : si;
    const values = flat(chart, p => [p.value, p.published, p.low].filter(v => v > 0));
    const ranges = flat(chart, (p, i, si) => p.high > p.low ? [[i, si, p.low, p.high]] : []);
    const published = flat(chart, (p, i, si) => p.published > 0 ? [[i, si, p.published]] : []);
    const notes = (chart.notes || []).flatMap((text, i) => text ? [[i, text]] : []);
    const series = (chart.series.length === 1 ? byRole(chart.series[0]) : chart.series.map((s, si) => ({
      name: s.name, points: s.points, colour: palette(si), barGap, stack: chart.stacked ? 'all' : undefined,
    }))).map(({ name, points, colour, barGap, stack }) => ({
      type: 'bar', name, stack, barGap, barCategoryGap: categoryGap, itemStyle: { color: colour },
      data: points.map(p => p.value == null ? '-' : p.value),
    }));
    const barSeries = series.length;
    const along = chart.log ? values.reduce((a, b) => Math.min(a, b)) : 0;
    const point = (api, v) => api.coord([Math.max(v, along), 0])[0];
    if (ranges.length) {
      series.push({
        type: 'custom', name: 'lowest to highest', data: ranges, encode: { x: [2, 3], y: 0 }, z: 4,
        itemStyle: { color: colour('text') },
        renderItem: (_, api) => {
          const at = middle(api, count, api.value(0), place(api.value(1)));
          const [low, high, half] = [point(api, api.value(2)), point(api, api.value(3)), Math.min(5, at.size / 3)];
          const style = { stroke: colour('text'), lineWidth: 1.5 };
          const line = (x1, y1, x2, y2) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style });
          return {
            type: 'group',
            children: [
              line(low, at.y, high, at.y),
              line(low, at.y - half, low, at.y + half),
              line(high, at.y - half, high, at.y + half),
            ],
          };
        },
      });
    }
    if (published.length) {
      series.push({
        type: 'custom', name: 'article', data: published, encode: { x: 2, y: 0 }, z: 5,
        itemStyle: { color: colour('published') },
        renderItem: (_, api) => {
          const at = middle(api, count, api.value(0), place(api.value(1)));
          const [x, r] = [point(api, api.value(2)), 5.5];
          return {
            type: 'polygon',
            shape: { points: [[x, at.y - r], [x + r, at.y], [x, at.y + r], [x - r, at.y]] },
            style: { fill: colour('published'), stroke: colour('page'), lineWidth: 1 },
          };
        },
      });
    }
    if (notes.length) {
      series.push({
        type: 'custom', data: notes.map(([i]) => [i]), encode: { y: 0 }, silent: true, z: 6,
        renderItem: (params, api) => ({
          type: 'text',
          style: {
            x: params.coordSys.x + 6, y: api.coord([along, api.value(0)])[1], verticalAlign: 'middle',
            text: notes[params.dataIndex][1], fill: colour('wrong'), fontSize: 12, fontWeight: 'bold',
          },
        }),
      });
    }
    const entries = series.filter(s => s.name).map(s => s.name);
    const keys = legend(entries, width);
    const rowPx = Math.max(26, chart.series.length * (chart.stacked ? 1 : 15) + 10);
    const pointOf = item =>
      item.seriesIndex < barSeries
        ? [chart.series.length === 1 ? 0 : item.seriesIndex, item.dataIndex]
        : [item.value[1], item.value[0]];
    return {
      height: keys.height + chart.categories.length * rowPx + 60,
      option: {
        legend: keys.option,
        grid: {
          left: labelPx(chart, width) + 12, right: 34, top: keys.height + 6, bottom: 48, outerBoundsMode: 'none',
        },
        xAxis: valueAxis(chart, values),
        yAxis: categoryAxis(chart, width),
        tooltip: tooltip(item => {
          const [si, i] = pointOf(item);
          const name = chart.series.length > 1 ? chart.series[si].name + ': ' : '';
          return chart.categories[i] + ': ' + name + (chart.series[si].points[i].text || '');
        }),
        series,
      },
    };
  }

  function lines(chart, width) {
    const symbols = ['circle', 'rect', 'triangle', 'diamond', 'roundRect', 'pin', 'arrow'];
    const ours = chart.series.map(s => s.name).filter(name => !name.endsWith(', article'));
    const keys = legend(chart.series.map(s => s.name), width, 1);
    const values = flat(chart, p => [p.value]);
    const xs = flat(chart, p => [p.x]);
    return {
      height: keys.height + 340,
      option: {
        legend: keys.option,
        grid: { left: 64, right: 34, top: keys.height + 16, bottom: 48, outerBoundsMode: 'none' },
        xAxis: {
          type: 'log', logBase: 2, min: Math.min(...xs), max: Math.max(...xs),
          name: chart.over, nameLocation: 'middle', nameGap: 26, nameTextStyle: { color: colour('soft') },
          axisLabel: { color: colour('soft') }, splitLine: { show: false },
          axisLine: { lineStyle: { color: colour('line') } },
        },
        yAxis: { ...valueAxis(chart, values), name: '' },
        tooltip: tooltip(item => item.seriesName + ', ' + chart.series[item.seriesIndex].points[item.dataIndex].text),
        series: chart.series.map((s, si) => {
          const theirs = s.name.endsWith(', article');
          const own = theirs ? ours.indexOf(s.name.slice(0, -', article'.length)) : ours.indexOf(s.name);
          const which = own < 0 ? si : own;
          return {
            type: 'line', name: s.name, symbolSize: 8, symbol: symbols[which % symbols.length],
            color: palette(which),
            lineStyle: { color: palette(which), width: 2, type: theirs ? 'dashed' : 'solid' },
            data: s.points.map(p => [p.x, p.value]),
          };
        }),
      },
    };
  }

  function boxes(chart, width) {
    const points = chart.series[0].points;
    const runs = points.flatMap((p, i) => p.runs.map(v => [i, v]));
    return {
      height: points.length * 30 + 66,
      option: {
        grid: { left: labelPx(chart, width) + 12, right: 34, top: 6, bottom: 48, outerBoundsMode: 'none' },
        xAxis: { ...valueAxis(chart, runs.map(r => r[1])), scale: true },
        yAxis: categoryAxis(chart, width),
        tooltip: tooltip(item => {
          const i = item.seriesType === 'boxplot' ? item.dataIndex : item.value[0];
          return chart.categories[i] + ': ' + points[i].text;
        }),
        series: [
          {
            type: 'boxplot', data: points.map(p => p.box), boxWidth: [8, 18],
            itemStyle: { color: colour('panel'), borderColor: colour('ours'), borderWidth: 1.5 },
          },
          {
            type: 'custom', data: runs, encode: { x: 1, y: 0 }, z: 4,
            renderItem: (_, api) => {
              const [cx, cy] = api.coord([api.value(1), api.value(0)]);
              return { type: 'circle', shape: { cx, cy, r: 2.5 }, style: { fill: colour('soft'), opacity: 0.8 } };
            },
          },
        ],
      },
    };
  }

  function frameColour(name) {
    if (name.endsWith('_[k]')) return colour('flame-kernel');
    if (/^(runtime|internal\/runtime|gc)\b/.test(name)) return colour('flame-runtime');
    return colour('flame-own');
  }

  // flame draws the frames below the chosen one over the whole width, and its callers above it.
  function flame(chart, width) {
    const { frames, total, depth } = chart.flame;
    const rowPx = 20;
    if (!chart.all) { // the chosen frame is one of them, also when the chart is drawn again
      chart.all = [];
      for (let i = 0; i < frames.length; i += 4) {
        const [name, depth, first, samples] = frames.slice(i, i + 4);
        chart.all.push({ name: names[name], depth, first, samples });
      }
    }
    const all = chart.all;
    const chosen = chart.chosen || all[0];
    const scale = width / chosen.samples;
    const shown = all.filter(f => f.first < chosen.first + chosen.samples && f.first + f.samples > chosen.first &&
      f.samples * scale >= 0.7);
    const share = f => (100 * f.samples / total).toFixed(1) + ' %';
    return {
      height: depth * rowPx + 4,
      choose: i => { chart.chosen = shown[i] === chosen ? undefined : shown[i]; },
      option: {
        grid: { left: 0, right: 0, top: 0, bottom: 0, outerBoundsMode: 'none' },
        xAxis: { type: 'value', show: false, min: 0, max: 1 },
        yAxis: { type: 'value', show: false, min: 0, max: depth, inverse: true },
        tooltip: tooltip(item => shown[item.dataIndex].name + ': ' + share(shown[item.dataIndex])),
        series: [{
          type: 'custom',
          data: shown.map(f => [f.first, f.depth]),
          renderItem: params => {
            const f = shown[params.dataIndex];
            const x = Math.max(0, (f.first - chosen.first) * scale);
            const end = Math.min(width, (f.first + f.samples - chosen.first) * scale);
            const fill = frameColour(f.name);
            const text = end - x < 24 ? '' : f.name;
            return {
              type: 'rect',
              shape: { x, y: f.depth * rowPx, width: Math.max(end - x - 1, 0.5), height: rowPx - 1 },
              style: { fill, opacity: f.depth < chosen.depth ? 0.5 : 1 },
              textConfig: { position: 'insideLeft', distance: 3 },
              textContent: {
                type: 'text',
                style: { text, fill: colour('flame-text'), fontSize: 11, width: end - x - 8, overflow: 'truncate' },
              },
            };
          },
        }],
      },
    };
  }

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

  // A click on a column's name sorts by it, numbers from the largest on first, and a second click the other
  // way round. Rows without a value stay at the end.
  function sortBy(table, column, header) {
    const numeric = header.classList.contains('numeric');
    const order = header.getAttribute('aria-sort');
    const down = order === null ? numeric : order === 'ascending';
    const keyed = [...table.tBodies[0].rows].map(row => {
      const cell = row.cells[column];
      const text = cell.textContent.trim();
      const key = numeric ? parseFloat(cell.dataset.sort) : text;
      return { row, key, none: numeric ? Number.isNaN(key) : text === '' };
    });
    keyed.sort((a, b) => {
      if (a.none || b.none) return a.none - b.none;
      const way = numeric ? a.key - b.key : a.key.localeCompare(b.key, 'en', { numeric: true });
      return down ? -way : way;
    });
    table.tBodies[0].append(...keyed.map(k => k.row));
    for (const h of header.parentElement.cells) h.removeAttribute('aria-sort');
    const sorted = down ? 'descending' : 'ascending';
    header.setAttribute('aria-sort', sorted);
    document.getElementById('say').textContent =
      `${table.caption.textContent}, sorted by ${header.textContent}, ${sorted}`;
  }
  for (const table of document.querySelectorAll('table')) {
    if (table.tBodies[0].rows.length < 2 || table.closest('.facts')) continue;
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = header.textContent;
      header.replaceChildren(button);
      button.addEventListener('click', () => sortBy(table, column, header));
    });
  }

  drawAll();
})();
