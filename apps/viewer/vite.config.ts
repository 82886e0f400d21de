// Builds one HTML file that needs nothing else: script, style and font are written into it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

/** Where the program puts a result. The page has this line once. */
const marker = '<!-- KARDAN_RESULT -->';

/** The notices of what the file contains; their licences ask for them. */
function notices(): string {
  const packages = ['three', 'uplot', '@fontsource-variable/inter'];
  const texts = packages.map((name) => {
    const text = readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), 'utf8');
    return `${name}\n\n${text.trim()}`.replaceAll('--', '- -');
  });
  return `<!--\nThis report contains the following software.\n\n${texts.join('\n\n')}\n-->\n`;
}

/**
 * What the page may do: run the one script that was built into it and show what stands in the file. A result is
 * data of strangers; whatever stands in it cannot run, and cannot send anything anywhere.
 */
function policy(script: string): string {
  const hash = createHash('sha256').update(script, 'utf8').digest('base64');
  const rules = [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    'font-src data:',
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<meta http-equiv="Content-Security-Policy" content="${rules.join('; ')}">`;
}

/** Writes the built script and style into the page. */
function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = Object.values(bundle).find((file) => file.fileName.endsWith('.html'));
      if (page?.type !== 'asset') throw new Error('no page was built');
      let html = String(page.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page) continue;
        if (file.type === 'chunk') {
          // "</script" would end the element; in JavaScript it can only stand in a string or comment.
          const code = file.code.replace(/<\/script/gi, '<\\/script').replaceAll(marker, '');
          html = html.replace(new RegExp(`\\s*<script[^>]*src="[^"]*${name}"[^>]*></script>`), '');
          html = html.replace('</body>', () => `<script type="module">${code}</script>\n</body>`);
          html = html.replace('<meta charset="utf-8">', (meta) => `${meta}\n${policy(code)}`);
        } else if (name.endsWith('.css')) {
          const style = `<style>${String(file.source).trim()}</style>`;
          html = html.replace(new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`), () => style);
        } else {
          throw new Error(`${name} was not written into the page`);
        }
        delete bundle[name];
      }
      if (/<(script|link|img)[^>]*\s(src|href)="(?!data:)/.test(html))
        throw new Error('the page still refers to other files');
      if (html.split(marker).length !== 2) throw new Error(`the page must have ${marker} once`);
      if (html.split('Content-Security-Policy').length !== 2) throw new Error('the page must have one policy');
      page.source = html.replace('<!doctype html>\n', () => `<!doctype html>\n${notices()}`);
      page.fileName = 'viewer.html';
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 1 << 20,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4096,
    emptyOutDir: false,
    outDir: process.env.KARDAN_VIEWER_OUT ?? 'dist',
  },
});
