import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const projectFolder = fileURLToPath(new URL('../../../../', import.meta.url))

/** On Apple Silicon the package brings Node 24.0.0; there this is undefined, and a command would do nothing. */
test('No command uses import.meta.main, which exists only since Node 24.2', () => {
  const files = ['infra', 'functions', 'shared'].flatMap((folder) =>
    readdirSync(join(projectFolder, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  expect(files).toContain(join(projectFolder, 'infra/app.ts'))
  expect(files.filter((file) => /\bimport\.meta\.main\b/.test(readFileSync(file, 'utf8')))).toEqual([])
})
