import { fileURLToPath } from 'node:url'

/** Path of the folder with package.json, with a separator at its end. */
export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url))
