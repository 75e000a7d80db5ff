import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { createPetsTool } from '../../../../../../infra/operations/pets/pets-tool.ts'
import { registerLocalEnvironment, runToolInProcess } from '../../../../../fixtures/commands.ts'
import { createTemporaryFolder } from '../../../../../fixtures/temporary-folder.ts'

let file: string
let settings: string
let options: readonly string[]

beforeEach(async () => {
  const folder = createTemporaryFolder()
  file = join(folder, 'animals.csv')
  settings = join(folder, 'oak-lane.yaml')
  writeFileSync(file, 'Number,Name,Kind,State\nN1,Bella,Dog,Ready\nN2,Max,Dog,Ready\n')
  writeFileSync(
    settings,
    `source: oak-lane
columns: { reference: Number, name: Name, category: Kind, status: State }
categories: { Dog: 11 }
statuses: { Ready: available }
missing: remove
`,
  )
  options = (await registerLocalEnvironment()).options
})

const run = (...words: readonly string[]) => runToolInProcess(createPetsTool(), [...words, ...options])

it('pets sync prints one line, and with --json each change', async () => {
  const first = await run('sync', file, '--source', settings, '--accept-changes')
  expect(first).toMatchObject({
    output: 'oak-lane: 2 in file, 2 new, 0 changed, 0 gone, 0 hidden, 0 kept by hand, 0 unknown\n',
    errors: '',
    exitCode: 0,
  })

  writeFileSync(file, 'Number,Name,Kind,State\nN1,Bella II,Dog,Ready\nN2,Max,Dog,Ready\n')
  const { output } = await run('sync', file, '--source', settings, '--json')
  const { changes } = JSON.parse(output)
  expect(changes).toMatchObject([
    { reference: 'N1', action: 'edited', old: { name: 'Bella' }, new: { name: 'Bella II' } },
  ])

  const release = await run('release', `${changes[0].id}`)
  expect(release.output).toBe(`The pet ${changes[0].id} is already as oak-lane has N1.\n`)
})

it('pets sync ends with the exit code of a mistake', async () => {
  expect(await run('sync', file)).toMatchObject({ exitCode: 2, output: '' })
  expect(await run('sync', file, '--source', `${settings}.old`)).toMatchObject({ exitCode: 2, output: '' })
  expect(await run('sync', `${file}.old`, '--source', settings)).toMatchObject({ exitCode: 4, output: '' })
  expect(await run('sync', file, '--source', settings)).toMatchObject({ exitCode: 4, output: '' })
  writeFileSync(file, 'Number,Name,Kind,State\nN1,Bella,Dog,Lost\n')
  expect(await run('sync', file, '--source', settings)).toMatchObject({ exitCode: 3 })
})
