/**
 * How long a command may take to issue a key, in seconds. Until the command has shown the key, its record expires
 * after this time: a key that nobody has seen ends by itself. And an API Gateway key without a record is older than
 * this only if its command was interrupted.
 */
export const issueSeconds = 15 * 60

/** Whether a key is being issued at this moment, or its command was interrupted. */
export const isUnfinished = (key: { readonly createdAt: number; readonly expiresAt: number | undefined }): boolean =>
  key.expiresAt === key.createdAt + issueSeconds
