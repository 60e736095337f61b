// Sorts the tables.

// A click on a column's name sorts by it, numbers from the largest on first, and a second click the other
// way round. Rows without a value stay at the end.
function sortBy(table, column, header) {
  const numeric = header.classList.contains('numeric');
  const order = header.getAttribute('aria-sort');
  const down = order === null ? numeric : order === 'ascending';
  const keyed = [...table.tBodies[0].rows].map(row => {
    const cell = row.cells[column];
    const text = cell.textContent.trim();
    const key = numeric ? parseFloat(cell.dataset.sort ?? text) : text;
    return { row, key, none: numeric ? Number.isNaN(key) : text === '' || cell.classList.contains('null') };
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
