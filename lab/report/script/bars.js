// Bar charts, with the range of the runs and the published figures.

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
