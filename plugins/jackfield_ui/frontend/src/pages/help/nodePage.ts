import { api, body } from '../../api/client';
import { ApiError } from '../../api/errors';

/** The page of a node type, in Markdown; null: there is no such type. */
export async function readNodePage(kind: string, signal: AbortSignal): Promise<string | null> {
  try {
    return await body(
      api.GET('/api/v1/node-types/{kind}/page', { params: { path: { kind } }, parseAs: 'text', signal }),
    );
  } catch (problem) {
    if (problem instanceof ApiError && problem.status === 404) return null;
    throw problem;
  }
}
