import type { ReactNode } from 'react';
import { MarkdownLine } from '../../../../components/markdown/Markdown';

/** A field's help, which may mark code and link; undefined where there is none. */
export function helpOf({ help }: { help?: string | undefined }): ReactNode {
  return help ? <MarkdownLine text={help} /> : undefined;
}
