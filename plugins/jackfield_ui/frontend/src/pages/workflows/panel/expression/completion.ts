/** Completion inside of {{ }}. What knows of types is fetched when it is first asked. */
import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { codeBefore } from '../../../../components/code/codeIn';
import { NO_SECRETS, type SecretNames } from './secrets';
import type { Surroundings } from './types';

/** secrets: asked for where an expression names them. */
export function expressionCompletion(
  around: () => Omit<Surroundings, 'secrets'>,
  secrets: () => Promise<SecretNames>,
): Extension {
  return autocompletion({
    override: [(context) => complete(context, around, secrets)],
    activateOnTyping: true,
    icons: false,
  });
}

async function complete(
  context: CompletionContext,
  around: () => Omit<Surroundings, 'secrets'>,
  secrets: () => Promise<SecretNames>,
): Promise<CompletionResult | null> {
  const code = codeBefore(context.state.doc.toString(), context.pos);
  if (code === undefined) return null;
  const { suggested } = await import('./suggest');
  const known = code.includes('$secrets') ? await secrets() : NO_SECRETS;
  return context.aborted ? null : suggested(code, context.pos, { ...around(), secrets: known }, context.explicit);
}
