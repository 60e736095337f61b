// Scaling curves, and box plots of runs.

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
