// Light or dark: as the system has it, or as the user chose.

type Choice = 'auto' | 'light' | 'dark';
const key = 'kardan-theme';

function stored(): Choice {
  try {
    const value = localStorage.getItem(key);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto'; // a file may have no storage
  }
}

export class Theme {
  private choice: Choice = stored();
  private readonly system = matchMedia('(prefers-color-scheme: dark)');
  onChange: () => void = () => {};

  constructor() {
    this.apply();
    this.system.addEventListener('change', () => this.apply());
  }

  get dark(): boolean {
    return this.choice === 'auto' ? this.system.matches : this.choice === 'dark';
  }

  toggle(): void {
    this.choice = this.dark ? 'light' : 'dark';
    try {
      localStorage.setItem(key, this.choice);
    } catch {
      // The choice holds until the page is closed.
    }
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
    this.onChange();
  }
}
