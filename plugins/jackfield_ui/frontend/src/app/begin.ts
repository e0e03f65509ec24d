/** What needs nothing of the interface itself: it runs while that is still on its way. */
import { connection } from '../api/connection';
import { chosenProject } from '../api/project';
import { makeQueryClient } from '../api/queries';
import { askForFigures } from '../pages/dashboard/queries';
import { session } from './session';
import { INVITATION, SHARED } from './shared';

export const queries = makeQueryClient();

session.onAnotherUser = () => queries.clear();
session.onEntry = () => {
  if (!session.now().info?.projects) chosenProject.choose('');
  if (location.pathname === '/') askForFigures(queries);
};

/** Who is here, and what the dashboard shows to them. */
export function begin(): void {
  if (location.pathname === SHARED || location.pathname === INVITATION) return;
  void session.start();
  // A daemon that was away when the page opened: begin again once it is there.
  connection.onReturn(() => {
    if (session.now().phase === 'starting') void session.start();
  });
}
