/** Completion inside of {{ }}. What knows of types is fetched when it is first asked. */
import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { codeBefore } from '../../../../components/code/codeIn';
import type { Surroundings } from './types';

export function expressionCompletion(around: () => Surroundings): Extension {
  return autocompletion({
    override: [(context) => complete(context, around)],
    activateOnTyping: true,
    icons: false,
  });
}

async function complete(context: CompletionContext, around: () => Surroundings): Promise<CompletionResult | null> {
  const code = codeBefore(context.state.doc.toString(), context.pos);
  if (code === undefined) return null;
  const { suggested } = await import('./suggest');
  return context.aborted ? null : suggested(code, context.pos, around(), context.explicit);
}
