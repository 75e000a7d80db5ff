import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Change = (text: string) => string

const rename: Change = (text) => text.replaceAll('listPets', 'newestPets').replaceAll('list-pets', 'newest-pets')

/**
 * What somebody writes who adds `GET /pets/newest` by the list in README.md, after the example of `GET /pets`: in each file,
 * made of its text or of that of another one.
 */
const changes: readonly { readonly file: string; readonly from?: string; readonly change: Change }[] = [
  {
    file: 'shared/contract/openapi.yaml',
    change: (contract) => {
      const [, list = ''] = /\n {2}\/pets:\n( {4}get:\n.*?) {4}post:\n/s.exec(contract) ?? []
      return contract.replace('\n  /pets/{petId}:\n', () => `\n  /pets/newest:\n${rename(list)}\n  /pets/{petId}:\n`)
    },
  },
  { file: 'functions/newest-pets/newest-pets.ts', from: 'functions/list-pets/list-pets.ts', change: rename },
  { file: 'functions/newest-pets/index.ts', from: 'functions/list-pets/index.ts', change: rename },
  {
    file: 'infra/constructs/functions/table-access.ts',
    change: (access) => access.replace(/ {2}'list-pets': .*\n/, (line) => line + rename(line)),
  },
  {
    file: 'test/events/newest-pets.json',
    from: 'test/events/list-pets.json',
    change: (event) => event.replaceAll(/"(\/v1)?\/pets"/g, '"$1/pets/newest"'),
  },
  { file: 'test/e2e/newest-pets.test.ts', change: () => endToEndTest },
  {
    file: 'README.md',
    change: (readme) => readme.replace('| `GET /pets/{petId}`', '| `GET /pets/newest` | the newest animals |\n$&'),
  },
]

const endToEndTest = `import { describe, expect, it } from 'vitest'
import { call, createPet } from './api.ts'

describe('GET /pets/newest', () => {
  it('has a pet that was just added', async () => {
    const pet = await createPet({ name: 'Milo', categoryId: 2 })
    expect((await call('GET', '/pets/newest?limit=100')).json()).toContainEqual(pet)
  })
})
`

/** The files that a step of the list names, and that somebody may forget. */
export const filesOfNewestPets = [
  'functions/newest-pets/index.ts',
  'infra/constructs/functions/table-access.ts',
  'test/events/newest-pets.json',
  'test/e2e/newest-pets.test.ts',
  'README.md',
]

/** @param forgotten a file that is not written */
export const addNewestPets = (repository: string, forgotten?: string): void => {
  for (const { file, from = file, change } of changes) {
    if (file === forgotten) continue
    const source = join(repository, from)
    const target = join(repository, file)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, change(existsSync(source) ? readFileSync(source, 'utf8') : ''))
  }
}
