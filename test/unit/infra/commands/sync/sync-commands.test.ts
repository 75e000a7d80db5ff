import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { createPetsCommand } from '../../../../../infra/commands/pets/pets-command.ts'
import { createApiCallers } from '../../../../fixtures/commands/callers.ts'
import { runCommandInProcess } from '../../../../fixtures/commands/commands.ts'
import { formatFile, settingsText } from '../../../../fixtures/commands/nightly-file.ts'
import { listForbidden, listUnused, nightlyFilePolicy } from '../../../../fixtures/commands/operator-policy.ts'
import { registerEnvironmentWithProxy } from '../../../../fixtures/commands/registered-environment.ts'
import { createClients } from '../../../../fixtures/database/clients.ts'

let file: string
let settings: string
let environment: Awaited<ReturnType<typeof registerEnvironmentWithProxy>>

/** Writes the file of a night: the names of the animals by their numbers. */
const writeAnimals = (namesByNumber: Readonly<Record<string, string>>): void =>
  writeFileSync(file, formatFile(namesByNumber))

beforeEach(async () => {
  environment = await registerEnvironmentWithProxy()
  file = join(environment.dataFolder, 'animals.csv')
  settings = join(environment.dataFolder, 'oak-lane.yaml')
  writeAnimals({ N1: 'Bella', N2: 'Max' })
  writeFileSync(settings, settingsText)
})

const run = (...words: readonly string[]) =>
  runCommandInProcess(createPetsCommand(), [...words, ...environment.options])

const sync = (...words: readonly string[]) => run('sync', file, '--source', settings, ...words)

it('pets sync prints a line, and with --json each change', async () => {
  // The first file of a source is doubtful, and passes only with --accept-changes.
  const { output: line, errors, exitCode } = await sync('--accept-changes')
  expect(line).toMatch(/^oak-lane: 2 in file = 2 added .*\n$/)
  expect({ errors, exitCode }).toEqual({ errors: '', exitCode: 0 })

  writeAnimals({ N1: 'Bella II' })
  const { output } = await sync('--json')

  expect(JSON.parse(output)).toMatchObject({
    changed: 1,
    gone: 1,
    changes: [
      { number: 'N1', outcome: 'changed', old: { name: 'Bella' }, new: { name: 'Bella II' } },
      { number: 'N2', outcome: 'removed' },
    ],
  })
})

it('pets sync --quiet prints nothing if all is well, and else only what a person should look at', async () => {
  expect(await sync('--accept-changes', '--quiet')).toEqual({ output: '', errors: '', exitCode: 0 })

  // The settings have no status `Lost`.
  writeFileSync(file, 'Number,Name,Kind,State\nN1,Bella,Dog,Ready\nN2,Max,Dog,Lost\n')
  const { output, exitCode } = await sync('--quiet')

  expect(output).toMatch(/^oak-lane: .*"Lost".*N2.*\n$/)
  expect(exitCode).toBe(3)
})

// A schedule mails what the nights of several sources print.
it('pets sync begins an error with the source, which nothing else in a mail would name', async () => {
  environment.proxy.chooseFault = () => 'expired credentials'

  const { errors, exitCode } = await sync()

  expect(errors).toMatch(/^oak-lane: AWS needs other credentials/)
  expect(exitCode).toBe(1)
})

it('pets list of a source that is mistyped says that there is no such source', async () => {
  await sync('--accept-changes')

  const { errors, exitCode } = await run('list', '--source', 'oak-lan')

  expect(errors).toMatch(/^There is no source oak-lan with animals/)
  expect(exitCode).toBe(1)
})

it('pets sync takes no standard input, which looks whole when it breaks off', async () => {
  expect(await run('sync', '-', '--source', settings)).toMatchObject({ exitCode: 2, output: '' })
})

it('pets sources shows each source with its last file, its animals on the list, and those that are changed by hand', async () => {
  await sync('--accept-changes')
  const { client } = createClients(environment.engine)
  const [firstPet] = await createApiCallers(client, environment.tables.pets).listPets()
  await run('set', `${firstPet?.id}`, '--status', 'sold')

  const { output } = await run('sources', '--json')

  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
  expect(JSON.parse(output).sources).toEqual([
    { source: 'oak-lane', fileName: 'animals.csv', at, onList: 2, changedByHand: 1 },
  ])
})

const dayMilliseconds = 86_400_000

it('pets sources --older-than prints nothing while files arrive, and names a source whose last file is older', async () => {
  await sync('--accept-changes')
  expect(await run('sources', '--older-than', '2d')).toEqual({ output: '', errors: '', exitCode: 0 })

  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3 * dayMilliseconds)
  const { output, exitCode } = await run('sources', '--older-than', '2d')

  expect(exitCode).toBe(3)
  expect(output).toMatch(/^oak-lane: no file has passed since \S+ \(animals\.csv\)\.\n$/)
})

it('pets sources --older-than does not name a source whose last file has no animal: its shelter has left', async () => {
  await sync('--accept-changes')
  writeAnimals({})
  await sync('--accept-changes')
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3 * dayMilliseconds)

  expect(await run('sources', '--older-than', '2d')).toEqual({ output: '', errors: '', exitCode: 0 })
})

it('the role of nightly files may make each call of a night with lost responses, and no others', async () => {
  // Math.random chooses each wait before a call is repeated: 0 is the shortest one.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  for (const offset of [0, 1, 2]) {
    let callCount = offset
    // Every third response is lost, and those of each night are others.
    environment.proxy.chooseFault = () => {
      callCount += 1
      return callCount % 3 === 0 ? 'response lost' : undefined
    }
    // Each night renames N1, adds one animal, and removes the one that the night before has added.
    writeAnimals({ N1: `Bella ${offset}`, [`N${2 + offset}`]: 'Max' })
    await sync('--accept-changes')
  }

  expect(listForbidden(nightlyFilePolicy, environment.proxy.calls, environment.tables)).toEqual([])
  expect(listUnused(nightlyFilePolicy, environment.proxy.calls, environment.tables)).toEqual([])
})
