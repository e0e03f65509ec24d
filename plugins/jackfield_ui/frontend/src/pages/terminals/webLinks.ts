import type { IBuffer, ILink, ILinkProvider, Terminal } from '@xterm/xterm';
import { addressesIn } from './addresses';

/** Rows that one wrapped line may have: a line without end is not searched. */
const MOST_ROWS = 24;

interface Cell {
  /** From 1, as links count. */
  x: number;
  y: number;
}

/** Makes addresses of the web that are printed as text into links. */
export function webLinks(terminal: Terminal, open: (address: string) => void): ILinkProvider {
  return {
    provideLinks: (row, done) => {
      const { text, cells } = lineAt(terminal.buffer.active, row - 1);
      const links = addressesIn(text).flatMap(({ at, address }): ILink[] => {
        const [start, end] = [cells[at], cells[at + address.length - 1]];
        if (!start || !end || start.y > row || end.y < row) return [];
        return [{ text: address, range: { start, end }, activate: () => open(address) }];
      });
      done(links.length ? links : undefined);
    },
  };
}

/** The whole line that a row belongs to, and where each of its characters stands. */
function lineAt(buffer: IBuffer, row: number): { text: string; cells: Cell[] } {
  let first = row;
  while (first > 0 && row - first < MOST_ROWS && buffer.getLine(first)?.isWrapped) first -= 1;
  let text = '';
  const cells: Cell[] = [];
  for (let y = first; y < first + 2 * MOST_ROWS; y += 1) {
    const line = buffer.getLine(y);
    if (!line || (y > first && !line.isWrapped)) break;
    for (let x = 0; x < line.length; x += 1) {
      const cell = line.getCell(x);
      if (!cell || cell.getWidth() === 0) continue;
      const chars = cell.getChars() || ' ';
      text += chars;
      for (let at = 0; at < chars.length; at += 1) cells.push({ x: x + 1, y: y + 1 });
    }
  }
  return { text, cells };
}
