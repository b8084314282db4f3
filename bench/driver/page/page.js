// Sorts the rows, and finds cases by name. The page reads without it.
(() => {
  const table = document.querySelector("table.rows");
  const body = table.tBodies[0];
  const rows = [...body.rows];  // as they were measured
  const sorts = table.dataset.sorts.split("|");  // data-by1, data-by2, …

  // `order`: which sort, counted from 1, negative for the largest first; 0 as measured. Rows without
  // a value come last either way.
  const sort = (order) => {
    const key = "by" + Math.abs(order), sign = Math.sign(order);
    const value = (row) => row.dataset[key] ? Number(row.dataset[key]) : null;
    const compare = (a, b) => {
      const left = value(a), right = value(b);
      return left === null || right === null ? (left === null) - (right === null) : sign * (left - right);
    };
    body.append(...(order === 0 ? rows : [...rows].sort(compare)));
  };

  const menu = document.createElement("select");
  menu.setAttribute("aria-label", "order of the rows");
  menu.add(new Option("as measured", 0));
  sorts.forEach((name, i) => {
    menu.add(new Option(name + ", largest first", -(i + 1)));
    menu.add(new Option(name + ", smallest first", i + 1));
  });
  menu.addEventListener("change", () => {
    sort(Number(menu.value));
    history.replaceState(null, "", menu.value === "0" ? "#" : "#sort=" + menu.value);
  });

  const filter = document.createElement("input");
  filter.type = "search";
  filter.placeholder = "cases that contain …";
  filter.setAttribute("aria-label", "show only cases whose names contain");
  filter.addEventListener("input", () => {
    for (const row of rows) row.hidden = !row.dataset.case.includes(filter.value.trim());
  });

  const controls = document.createElement("div");
  controls.className = "controls";
  controls.append(menu, filter);
  table.before(controls);

  const asked = /^#sort=(-?\d+)$/.exec(location.hash);
  if (asked && Math.abs(asked[1]) <= sorts.length) {
    menu.value = asked[1];
    sort(Number(asked[1]));
  }
})();
