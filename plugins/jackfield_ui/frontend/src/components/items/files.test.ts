import { expect, it } from 'vitest';
import { bytesOfBase64, fileAddress, isPdf, kindOf } from './files';

it('shows what runs scripts as text, never as itself', () => {
  for (const type of ['text/html', 'application/xhtml+xml', 'text/javascript', 'application/javascript']) {
    expect(kindOf(type)).toBe('text');
  }
  expect(kindOf('image/png; charset=x')).toBe('image');
  expect(kindOf('IMAGE/SVG+XML')).toBe('image');
  expect(kindOf('application/ld+json')).toBe('json');
  expect(kindOf('application/pdf')).toBe('pdf');
  expect(kindOf('audio/mpeg')).toBe('audio');
  for (const type of ['', 'application/zip', 'image/heic', 'multipart/x-mixed-replace'])
    expect(kindOf(type)).toBe('other');
});

it('addresses a file, and reads what is inside an item', () => {
  expect(fileAddress({ execution: 'a/b', run: 2, output: 0 }, 3, 'my file')).toBe(
    '/api/v1/executions/a%2Fb/file?run=2&output=0&item=3&name=my+file',
  );
  expect([...bytesOfBase64('_-8')]).toEqual([255, 239]);
});

it('knows a PDF by its mark, which may come a little later', async () => {
  expect(await isPdf(new Blob(['%PDF-1.7']))).toBe(true);
  expect(await isPdf(new Blob(['junk '.repeat(50), '%PDF-1.7']))).toBe(true);
  for (const text of ['', 'hello', `${' '.repeat(2000)}%PDF-1.7`]) expect(await isPdf(new Blob([text]))).toBe(false);
});
