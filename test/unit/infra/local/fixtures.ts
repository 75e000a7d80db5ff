import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a folder. The temporary folder of the test run, which contains it, is deleted at the end of the run. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'folder-'))
