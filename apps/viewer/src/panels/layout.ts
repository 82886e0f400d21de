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
  // A frame as wide as a panel; with more vertices both grow.
  const grow = Math.max(1, Math.sqrt(n / 18));
  const frame = { x: 215 * grow, y: 235 * grow };
  const places: Placed[] = boxes.map((_, i) => ({
    x: 0.8 * frame.x * Math.cos((2 * Math.PI * i) / n),
    y: 0.8 * frame.y * Math.sin((2 * Math.PI * i) / n),
  }));
  if (n < 2) return places;
  const wanted = 0.75 * Math.sqrt((4 * frame.x * frame.y) / n);
  const rounds = n > 120 ? 220 : 600;
  const moves = places.map(() => ({ x: 0, y: 0 }));
  for (let round = 0; round < rounds; ++round) {
    const heat = 0.15 * wanted * (1 - round / rounds) + 0.3;
    for (const move of moves) move.x = move.y = 0;
    for (let i = 0; i < n; ++i)
      for (let j = 0; j < i; ++j) {
        const dx = places[i].x - places[j].x || 0.01 * (i - j);
        const dy = places[i].y - places[j].y || 0.01;
        const push = (wanted * wanted) / (dx * dx + dy * dy);
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
      const mx = moves[i].x - 0.05 * p.x;
      const my = moves[i].y - 0.05 * p.y;
      const length = Math.hypot(mx, my) || 1;
      const step = Math.min(length, heat);
      p.x = Math.min(Math.max(p.x + (mx / length) * step, -frame.x), frame.x);
      p.y = Math.min(Math.max(p.y + (my / length) * step, -frame.y), frame.y);
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
