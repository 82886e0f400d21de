// Where the vertices of a graph go: springs along edges, repulsion between vertices, always the same.

export interface Placed {
  x: number;
  y: number;
}

/** `boxes` are half sizes of what is drawn at a vertex; they end up apart from each other. */
export function placeGraph(
  boxes: { width: number; height: number }[],
  edges: [number, number][],
): Placed[] {
  const n = boxes.length;
  const places: Placed[] = boxes.map((_, i) => ({
    x: Math.cos((2 * Math.PI * i) / n) * 40 * Math.sqrt(n),
    y: Math.sin((2 * Math.PI * i) / n) * 40 * Math.sqrt(n),
  }));
  if (n < 2) return places;
  const wanted = 95;
  const rounds = n > 120 ? 220 : 500;
  const moves = places.map(() => ({ x: 0, y: 0 }));
  for (let round = 0; round < rounds; ++round) {
    const heat = 0.12 * wanted * (1 - round / rounds) + 0.5;
    for (const move of moves) move.x = move.y = 0;
    for (let i = 0; i < n; ++i)
      for (let j = 0; j < i; ++j) {
        const dx = places[i].x - places[j].x || 0.01 * (i - j);
        const dy = places[i].y - places[j].y || 0.01;
        const square = dx * dx + dy * dy;
        const push = (wanted * wanted) / square;
        moves[i].x += dx * push;
        moves[i].y += dy * push;
        moves[j].x -= dx * push;
        moves[j].y -= dy * push;
      }
    for (const [i, j] of edges) {
      const dx = places[i].x - places[j].x;
      const dy = places[i].y - places[j].y;
      const pull = Math.hypot(dx, dy) / wanted;
      moves[i].x -= dx * pull;
      moves[i].y -= dy * pull;
      moves[j].x += dx * pull;
      moves[j].y += dy * pull;
    }
    places.forEach((p, i) => {
      // A weak pull to the middle keeps separate parts together.
      const mx = moves[i].x - 0.08 * p.x;
      const my = moves[i].y - 0.08 * p.y;
      const length = Math.hypot(mx, my) || 1;
      const step = Math.min(length, heat);
      p.x += (mx / length) * step;
      p.y += (my / length) * step;
    });
  }
  separate(places, boxes);
  return places;
}

/** Moves overlapping boxes apart along the direction that needs the shorter way. */
function separate(places: Placed[], boxes: { width: number; height: number }[]): void {
  for (let round = 0; round < 300; ++round) {
    let overlaps = false;
    for (let i = 0; i < places.length; ++i)
      for (let j = 0; j < i; ++j) {
        const dx = places[i].x - places[j].x;
        const dy = places[i].y - places[j].y;
        const ox = boxes[i].width + boxes[j].width - Math.abs(dx);
        const oy = boxes[i].height + boxes[j].height - Math.abs(dy);
        if (ox <= 0 || oy <= 0) continue;
        overlaps = true;
        if (ox < oy) {
          const move = ((dx < 0 ? -1 : 1) * (ox + 1)) / 2;
          places[i].x += move;
          places[j].x -= move;
        } else {
          const move = ((dy < 0 ? -1 : 1) * (oy + 1)) / 2;
          places[i].y += move;
          places[j].y -= move;
        }
      }
    if (!overlaps) return;
  }
}
