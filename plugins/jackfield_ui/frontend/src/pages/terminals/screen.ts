/** xterm with its addons. Whoever imports this is a lazy chunk. */
import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { SerializeAddon } from '@xterm/addon-serialize';
import { WebglAddon } from '@xterm/addon-webgl';
import { Terminal } from '@xterm/xterm';
import { MONO } from '../../app/theme';
import { openLink } from './openLink';
import { allowedPaste } from './paste';
import { DARK, LIGHT } from './themes';
import { webLinks } from './webLinks';

export interface Look {
  dark: boolean;
  fontSize: number;
  screenReader: boolean;
}

export interface Size {
  cols: number;
  rows: number;
}

const SCROLLBACK = 10_000;

export class Screen {
  readonly terminal: Terminal;
  readonly search = new SearchAddon();
  readonly serialize = new SerializeAddon();
  private readonly fit = new FitAddon();
  private webgl: WebglAddon | undefined;

  constructor(look: Look, { readOnly = false } = {}) {
    this.terminal = new Terminal({
      allowProposedApi: true,
      fontFamily: MONO,
      fontSize: look.fontSize,
      lineHeight: 1.15,
      scrollback: SCROLLBACK,
      theme: look.dark ? DARK : LIGHT,
      minimumContrastRatio: 4.5,
      screenReaderMode: look.screenReader,
      cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
      disableStdin: readOnly,
      cursorInactiveStyle: readOnly ? 'none' : 'outline',
      // An address comes from the agent: it is named before it is opened, and only the web's schemes are.
      linkHandler: { activate: (_event, address) => void openLink(address) },
    });
    for (const addon of [this.fit, this.search, this.serialize]) this.terminal.loadAddon(addon);
    this.terminal.registerLinkProvider(webLinks(this.terminal, (address) => void openLink(address)));
  }

  open(host: HTMLElement): void {
    this.terminal.open(host);
    // Before xterm, which passes on whatever the clipboard holds.
    this.terminal.element?.addEventListener('paste', this.onPaste, true);
  }

  private readonly onPaste = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.stopImmediatePropagation();
    void this.paste(event.clipboardData?.getData('text/plain') ?? '');
  };

  /** Types a text in, without what a terminal would obey; lines that would run are shown first. */
  async paste(text: string): Promise<void> {
    const { terminal } = this;
    if (terminal.options.disableStdin) return;
    const clean = await allowedPaste(text, terminal.modes.bracketedPasteMode);
    if (clean === undefined) return;
    terminal.paste(clean);
    terminal.focus();
  }

  look({ dark, fontSize, screenReader }: Look): void {
    const { options } = this.terminal;
    options.theme = dark ? DARK : LIGHT;
    if (options.fontSize !== fontSize) options.fontSize = fontSize;
    options.screenReaderMode = screenReader;
  }

  /** Drawing on the graphics card, for what is seen. Without one the DOM is faster than a card that is only played. */
  accelerate(wanted: boolean): void {
    if (!wanted) {
      this.webgl?.dispose();
      this.webgl = undefined;
      return;
    }
    if (this.webgl || !hasGraphicsCard()) return;
    try {
      const webgl = new WebglAddon();
      webgl.onContextLoss(() => this.accelerate(false));
      this.terminal.loadAddon(webgl);
      this.webgl = webgl;
    } catch {
      this.webgl = undefined;
    }
  }

  /** What fits into the host; undefined while it is not seen. */
  fitting(): Size | undefined {
    const found = this.fit.proposeDimensions();
    if (!found || !(found.cols >= 2) || !(found.rows >= 1)) return undefined;
    return { cols: Math.min(found.cols, 1_000), rows: Math.min(found.rows, 1_000) };
  }

  /** The largest text, up to the wished one, with which the terminal's size fits into the host. */
  shrink(host: HTMLElement, wished: number, least: number): void {
    const { terminal } = this;
    const screen = terminal.element?.querySelector('.xterm-screen');
    if (!screen || !host.clientWidth || !screen.clientWidth) return;
    const now = terminal.options.fontSize ?? wished;
    const room = Math.min((host.clientWidth - 20) / screen.clientWidth, (host.clientHeight - 12) / screen.clientHeight);
    const next = Math.min(wished, Math.max(least, Math.floor(now * room * 2) / 2));
    if (next !== now) terminal.options.fontSize = next;
  }

  resize({ cols, rows }: Size): void {
    if (cols !== this.terminal.cols || rows !== this.terminal.rows) this.terminal.resize(cols, rows);
  }

  /** At most so many rows; what is above the last ones can be scrolled to. */
  lower(rows: number): void {
    if (rows < this.terminal.rows) this.terminal.resize(this.terminal.cols, rows);
  }

  /** Everything that is kept, as text. */
  text(): string {
    const { active } = this.terminal.buffer;
    const lines: string[] = [];
    for (let at = 0; at < active.length; at += 1) {
      const line = active.getLine(at);
      const text = line?.translateToString(true) ?? '';
      if (line?.isWrapped && lines.length) lines[lines.length - 1] += text;
      else lines.push(text);
    }
    return `${lines.join('\n').trimEnd()}\n`;
  }

  dispose(): void {
    this.terminal.dispose();
  }
}

let card: boolean | undefined;
/** Processors that play a graphics card. */
const PLAYED = /swiftshader|llvmpipe|softpipe|software|basic render/i;

function hasGraphicsCard(): boolean {
  if (card === undefined) {
    const context = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
    const info = context?.getExtension('WEBGL_debug_renderer_info');
    card = context !== null && !PLAYED.test(String(info ? context.getParameter(info.UNMASKED_RENDERER_WEBGL) : ''));
    context?.getExtension('WEBGL_lose_context')?.loseContext();
  }
  return card;
}
