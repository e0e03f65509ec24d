/** What values of expressions offer, as the daemon's engine has it. */
import { useQuery } from '@tanstack/react-query';
import { api, body } from '../../../../api/client';
import type { Schemas } from '../../../../api/types';

export type Member = Schemas['ExpressionMemberShown'];
/** By type. */
export type Vocabulary = Readonly<Record<string, readonly Member[]>>;

const NONE: Vocabulary = {};

export function useVocabulary(): Vocabulary {
  const { data } = useQuery({
    queryKey: ['expression-vocabulary'],
    queryFn: async ({ signal }) => (await body(api.GET('/api/v1/expressions/vocabulary', { signal }))).types,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return data ?? NONE;
}
