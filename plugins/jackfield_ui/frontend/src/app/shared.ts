/** The address of shared links, whose page begins no session. */
export const SHARED = '/ui/shared';
