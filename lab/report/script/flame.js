// Flame graphs.

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
