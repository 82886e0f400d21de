// Small helpers to make elements.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

function apply(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function')
      element.addEventListener(name.replace(/^on/, ''), value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child) element.append(child);
}

/** An element with attributes (functions are listeners: `onclick`) and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes, children);
  return element;
}

export function makeSvg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  apply(element, attributes, children);
  return element;
}

const paths = {
  play: 'M8 5.5v13l11-6.5z',
  pause: 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z',
  toStart: 'M6 5h2.2v14H6zM19 5.5v13L9.5 12z',
  toEnd: 'M15.8 5H18v14h-2.200zM5 5.500v13l9.5-6.500z',
  loop: 'M17 3l4 4-4 4V8H8a3 3 0 0 0-3 3v1H3v-1a5 5 0 0 1 5-5h9zM7 21l-4-4 4-4v3h9a3 3 0 0 0 3-3v-1h2v1a5 5 0 0 1-5 5H7z',
  fit: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
  eye: 'M12 5c5 0 9 4.5 10 7-1 2.5-5 7-10 7S3 14.5 2 12c1-2.5 5-7 10-7zm0 2c-3.6 0-6.7 3-7.8 5 1.1 2 4.2 5 7.8 5s6.7-3 7.8-5c-1.1-2-4.2-5-7.8-5zm0 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
  theme: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z',
  check: 'M9.5 17.2 4.3 12l1.6-1.6 3.6 3.6 8.6-8.600L19.7 7z',
  note: 'M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm-1 5h2v6h-2zm0 8h2v2h-2z',
  cross: 'M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.600L6.4 19 5 17.6 10.6 12 5 6.400z',
  download: 'M11 4h2v8.200l3-3 1.4 1.400L12 16l-5.4-5.400L8 9.200l3 3zM5 18h14v2H5z',
  image: 'M4 5h16v14H4zm2 2v8l3.5-4 3 3 2-2 3.5 4V7zm8.5 1.500a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3z',
  reset: 'M12 5a7 7 0 1 1-6.7 9h2.100A5 5 0 1 0 8.5 8.500L11 11H4V4l3 3a7 7 0 0 1 5-2z',
  help: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 2a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm-1 10h2v2h-2zm1-8c2 0 3.3 1.2 3.3 2.9 0 2.2-2.3 2.4-2.3 4.100h-2c0-2.7 2.2-3 2.2-4.2 0-.6-.5-1-1.2-1s-1.2.500-1.3 1.300L8.7 9.800C8.9 8.1 10.2 7 12 7z',
  camera: 'M12 4 21 9v6l-9 5-9-5V9zm0 2.300L6.1 9.5 12 12.800l5.9-3.300zM5 11.200v2.600l6 3.300v-2.600zm14 0-6 3.300v2.600l6-3.300z',
  chevron: 'M9 6l6 6-6 6-1.4-1.4 4.6-4.6-4.6-4.600z',
  film: 'M4 5h16v14H4zm2 2v2h2V7zm0 4v2h2v-2zm0 4v2h2v-2zm10-8v2h2V7zm0 4v2h2v-2zm0 4v2h2v-2zm-6-8v10h4V7z',
  cube: 'M12 3l8 4.500v9L12 21l-8-4.500v-9zm0 2.300L7.100 8.100 12 10.900l4.900-2.800zM6 9.800v5.500l5 2.800v-5.500zm12 0-5 2.800v5.500l5-2.800z',
  plus: 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z',
} as const;
export type IconName = keyof typeof paths;

export function icon(name: IconName): SVGSVGElement {
  return makeSvg(
    'svg',
    { viewBox: '0 0 24 24', width: 20, height: 20, 'aria-hidden': 'true', class: 'icon' },
    makeSvg('path', { d: paths[name], fill: 'currentColor' }),
  );
}

/** A button that shows only an icon; the label is its tip and its name for screen readers. */
export function iconButton(name: IconName, label: string, press: () => void): HTMLButtonElement {
  return make(
    'button',
    { type: 'button', class: 'icon-button', 'aria-label': label, title: label, onclick: press },
    icon(name),
  );
}

/** Offers a file to the user. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = make('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A file name from a title. */
export function fileName(...parts: string[]): string {
  return parts
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^-|-$/g, '');
}
