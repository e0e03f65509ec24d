import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, body } from '../../api/client';
import type { Schemas } from '../../api/types';
import { APPROVALS, type Approval } from '../../app/approvals';
import { notifyDone, notifyError } from '../../components/notify';
import { t } from '../../language/messages';

/** Gives an answer. Whatever becomes of it, the list is read again: somebody else may have answered. */
export function useAnswer({ id }: Approval) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (given: Partial<Schemas['ApprovalIn']>) =>
      body(
        api.POST('/api/v1/approvals/{approval_id}', {
          params: { path: { approval_id: id } },
          body: { option: '', note: '', ...given },
        }),
      ),
    onSuccess: () => notifyDone(t('Your answer was sent.')),
    onError: (error) => notifyError(error, t('Your answer was not accepted')),
    onSettled: () => client.invalidateQueries({ queryKey: APPROVALS }),
  });
}
