/**
 * Replaces `@aws/lambda-invoke-store` in a bundle: it keeps the traces of requests apart that an instance serves at the
 * same time. An instance of these functions serves one, and the SDK takes its trace id from the environment variable
 * ("Defined runtime environment variables").
 */
export const InvokeStore = { getInstanceAsync: async (): Promise<undefined> => undefined }
