/** Every base URL ends in the version. */
export const stageName = 'v1'
