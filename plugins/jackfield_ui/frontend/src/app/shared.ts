/** The address of shared links, whose page begins no session. */
export const SHARED = '/ui/shared';
/** The address of links that make a user or set another password. */
export const INVITATION = '/ui/invitation';
