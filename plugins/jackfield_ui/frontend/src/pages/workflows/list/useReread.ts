import { useQueryClient } from '@tanstack/react-query';

/** Reads everything about workflows again. */
export function useReread(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: ['workflows'] });
}
