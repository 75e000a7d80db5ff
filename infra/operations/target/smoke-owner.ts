/** The owner of the keys that `npm run smoke` issues, and revokes later. `npm run keys` issues none to this owner. */
export const smokeOwner = 'smoke test'
