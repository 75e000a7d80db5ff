import { inject } from 'vitest'

/** The AWS SDK reads where to go from the environment. */
Object.assign(process.env, inject('emulator')?.variables)
