import { useComputedColorScheme } from '@mantine/core';
import { type RefObject, useCallback, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { isAnswer } from './answers';
import { Link, type LinkState, type Phase } from './link';
import { type Preferences, SIZES } from './preferences';
import { Screen, type Size } from './screen';

export interface TerminalOptions {
  host: RefObject<HTMLElement | null>;
  /** Of the WebSocket. */
  address: string;
  /** What is sent first. */
  first?: string;
  readOnly: boolean;
  visible: boolean;
  preferences: Preferences;
  recover: (code: number) => Promise<Phase | 'again'>;
  onKey?: (event: KeyboardEvent) => boolean;
  onFocus?: () => void;
  onBell?: () => void;
}

export interface Attached {
  screen: Screen | undefined;
  link: Link | undefined;
  state: LinkState;
  title: string;
  size: Size | undefined;
}

const NOTHING: LinkState = { phase: 'connecting', missed: 0 };
const encoder = new TextEncoder();
/** Bytes that xterm works off at once: between two of them it lets keys and frames have their turn. */
const PIECE = 16 * 1024;

/** A terminal in the host, attached to a session as long as the component is there. */
export function useTerminal(options: TerminalOptions): Attached {
  const { host, address, first, readOnly, visible, preferences } = options;
  const dark = useComputedColorScheme('light') === 'dark';
  const [made, setMade] = useState<{ screen: Screen; link: Link }>();
  const [title, setTitle] = useState('');
  const [size, setSize] = useState<Size>();
  const recover = useEffectEvent((code: number) => options.recover(code));
  const onKey = useEffectEvent((event: KeyboardEvent) => options.onKey?.(event) ?? true);
  const onFocus = useEffectEvent(() => options.onFocus?.());
  const onBell = useEffectEvent(() => options.onBell?.());
  const firstLook = useEffectEvent(() => ({ ...preferences, dark }));

  useEffect(() => {
    if (!host.current) return;
    const screen = new Screen(firstLook(), { readOnly });
    const { terminal } = screen;
    screen.open(host.current);
    let replaying = 0;
    const output = {
      // In the order of the output, which xterm works off later.
      begin: () => terminal.write('\x1bc'),
      size: (next: Size) =>
        terminal.write('', () => {
          screen.resize(next);
          setSize(next);
        }),
      write: (data: Uint8Array, replayed: boolean, done: () => void) => {
        if (replayed) replaying += 1;
        const last = Math.max(0, Math.ceil(data.length / PIECE) - 1) * PIECE;
        for (let at = 0; at < last; at += PIECE) terminal.write(data.subarray(at, at + PIECE));
        terminal.write(data.subarray(last), () => {
          if (replayed) replaying -= 1;
          done();
        });
      },
    };
    const link = new Link(address, output, {
      recover: (code) => recover(code),
      ...(first === undefined ? {} : { first }),
    });
    terminal.onData((text) => {
      if (!readOnly && !(replaying && isAnswer(text))) link.type(encoder.encode(text));
    });
    terminal.onBinary((text) => {
      if (!readOnly) link.type(Uint8Array.from(text, (sign) => sign.charCodeAt(0)));
    });
    terminal.onTitleChange(setTitle);
    terminal.onBell(() => onBell());
    terminal.attachCustomKeyEventHandler((event) => onKey(event));
    terminal.textarea?.addEventListener('focus', () => onFocus());
    setMade({ screen, link });
    return () => {
      link.close();
      screen.dispose();
      setMade(undefined);
      setTitle('');
    };
  }, [host, address, first, readOnly]);

  useEffect(() => made?.screen.look({ ...preferences, dark }), [made, preferences, dark]);
  useEffect(() => made?.screen.accelerate(visible), [made, visible]);

  const subscribe = useCallback((listener: () => void) => made?.link.subscribe(listener) ?? (() => {}), [made]);
  const state = useSyncExternalStore(subscribe, () => made?.link.now() ?? NOTHING);
  useFitting(made, host, {
    readOnly,
    visible,
    fontSize: preferences.fontSize,
    size,
    away: state.phase !== 'live' && state.phase !== 'connecting',
  });
  return { screen: made?.screen, link: made?.link, state, title, size };
}

interface Fit {
  readOnly: boolean;
  visible: boolean;
  fontSize: number;
  size: Size | undefined;
  /** Nobody answers to a wish for another size, so that the screen is cut here: its last line stays in sight. */
  away: boolean;
}

/** Who may write has the terminal fitted to the window; who looks has the text fitted to the terminal. */
function useFitting(
  made: { screen: Screen; link: Link } | undefined,
  host: RefObject<HTMLElement | null>,
  { readOnly, visible, fontSize, size, away }: Fit,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other sizes of terminal and text fit otherwise
  useEffect(() => {
    const element = host.current;
    if (!made || !element || !visible) return;
    let frame = 0;
    const fit = () => {
      if (readOnly) {
        made.screen.shrink(element, fontSize, SIZES.least / 2);
        return;
      }
      const fitting = made.screen.fitting();
      if (fitting && away) made.screen.lower(fitting.rows);
      else if (fitting) made.link.resize(fitting);
    };
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(fit);
    };
    const watcher = new ResizeObserver(soon);
    watcher.observe(element);
    soon();
    return () => {
      watcher.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [made, host, readOnly, visible, fontSize, size, away]);
}
