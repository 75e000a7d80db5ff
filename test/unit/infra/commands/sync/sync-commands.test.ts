import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createPetsCommand } from '../../../../../infra/commands/pets/pets-command.ts'
import { createColleague } from '../../../../fixtures/commands/colleague.ts'
import { runCommandInProcess } from '../../../../fixtures/commands/commands.ts'
import { formatFile, settingsText } from '../../../../fixtures/commands/nightly-file.ts'
import { listForbidden, listUnused, nightlyFilePolicy } from '../../../../fixtures/commands/operator-policy.ts'
import { registerFaultyEnvironment } from '../../../../fixtures/commands/registered-environment.ts'
import { findContradictions } from '../../../../fixtures/commands/shelter.ts'
import { createClients } from '../../../../fixtures/database/clients.ts'
import { chooseBySize } from '../../../../fixtures/machine/size.ts'

let file: string
let settings: string
let environment: Awaited<ReturnType<typeof registerFaultyEnvironment>>
let colleague: ReturnType<typeof createColleague>

/** Writes the file of a night, with the names of the animals by their numbers. */
const writeAnimals = (names: Readonly<Record<string, string>>): void => writeFileSync(file, formatFile(names))

beforeEach(async () => {
  environment = await registerFaultyEnvironment()
  colleague = createColleague(createClients(environment.engine).client, environment.tables.pets)
  file = join(environment.dataFolder, 'animals.csv')
  settings = join(environment.dataFolder, 'oak-lane.yaml')
  writeAnimals({ N1: 'Bella', N2: 'Max' })
  writeFileSync(settings, settingsText)
})

const run = (...words: readonly string[]) =>
  runCommandInProcess(createPetsCommand(), [...words, ...environment.options])

const listNames = async (): Promise<readonly string[]> => (await colleague.list()).map(({ name }) => name)

const sync = (...words: readonly string[]) => run('sync', file, '--source', settings, ...words)

describe('pets sync', () => {
  it('pets sync prints a line, and with --json each change', async () => {
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

    writeFileSync(file, 'Number,Name,Kind,State\nN1,Bella,Dog,Ready\nN2,Max,Dog,Lost\n')
    const { output, exitCode } = await sync('--quiet')

    expect(output).toMatch(/^oak-lane: .*"Lost".*N2.*\n$/)
    expect(exitCode).toBe(3)
  })

  it('pets sync names the source in every error, because the mail of several nights has nothing else to name it', async () => {
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
})

it("the night after a restore of last week's export brings the list to the file by itself", async () => {
  const backup = join(environment.dataFolder, 'backup.jsonl')
  await sync('--accept-changes')
  await run('export', '--out', backup)
  writeAnimals({ N1: 'Bella II' })
  await sync()
  await run('restore', backup)
  expect(await listNames()).toEqual(['Bella', 'Max'])

  const { output, exitCode } = await sync()

  expect(output).toMatch(/0 added \+ 0 returned \+ 1 changed .* 1 gone\. 0 differ/)
  expect(exitCode).toBe(0)
  expect(await listNames()).toEqual(['Bella II'])
})

describe('pets sources', () => {
  it('pets sources shows each source with its last file, its animals on the list, and those that are changed by hand', async () => {
    await sync('--accept-changes')
    const [first] = await colleague.list()
    await run('set', `${first?.id}`, '--status', 'sold')

    const { output } = await run('sources', '--json')

    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    expect(JSON.parse(output).sources).toEqual([
      { source: 'oak-lane', fileName: 'animals.csv', at, onList: 2, changedByHand: 1 },
    ])
  })

  it('pets sources --older-than prints nothing while files arrive, and names a source whose last file is older', async () => {
    await sync('--accept-changes')
    expect(await run('sources', '--older-than', '2d')).toEqual({ output: '', errors: '', exitCode: 0 })

    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3 * 86_400_000)
    const { output, exitCode } = await run('sources', '--older-than', '2d')

    expect(exitCode).toBe(3)
    expect(output).toMatch(/^oak-lane: no file has passed since \S+ \(animals\.csv\)\.\n$/)
  })

  it('pets sources --older-than does not name a shelter that has left', async () => {
    await sync('--accept-changes')
    writeAnimals({})
    await sync('--accept-changes')
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3 * 86_400_000)

    expect(await run('sources', '--older-than', '2d')).toEqual({ output: '', errors: '', exitCode: 0 })
  })
})

it('the role of nightly files may make each call of a night with lost responses, and no others', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  for (const offset of [0, 1, 2]) {
    let call = offset
    // Every third response is lost.
    environment.proxy.chooseFault = () => {
      call += 1
      return call % 3 === 0 ? 'response lost' : undefined
    }
    writeAnimals({ N1: `Bella ${offset}`, [`N${2 + offset}`]: 'Max' })
    await sync('--accept-changes')
  }

  expect(listForbidden(nightlyFilePolicy, environment.proxy.calls, environment.tables)).toEqual([])
  expect(listUnused(nightlyFilePolicy, environment.proxy.calls, environment.tables)).toEqual([])
})

it('a night that is killed again and again brings the list to what the shelter has', async () => {
  const firstNight = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`N${index}`, `Dog ${index}`]))
  writeAnimals(firstNight)
  expect(await sync('--accept-changes')).toMatchObject({ exitCode: 0 })
  const firstIds = new Map((await colleague.list()).map(({ id, name }) => [name, id]))

  // Ten animals leave, ten get another name, and forty are new.
  const stays = Object.entries(firstNight).slice(10)
  const renamed = stays.map(([number, name], index) => [number, index < 10 ? `${name} II` : name] as const)
  const arrivals = Array.from({ length: 40 }, (_, index) => [`P${index}`, `Pup ${index}`] as const)
  const nextNight = Object.fromEntries([...renamed, ...arrivals])
  writeAnimals(nextNight)
  const kills = fc.record({ call: fc.integer({ min: 1, max: 16 }), isCallMade: fc.boolean() })
  for (const kill of fc.sample(kills, chooseBySize(2, 8))) {
    await environment.runKilled(['pets', 'sync', file, '--source', settings], kill)
  }

  expect(await sync()).toMatchObject({ errors: '', exitCode: 0 })
  const pets = await colleague.list()
  expect(pets.map(({ name }) => name).toSorted()).toEqual(Object.values(nextNight).toSorted())
  for (const { id, name } of pets) expect(firstIds.get(name.replace(' II', '')) ?? id, name).toBe(id)
  expect(await findContradictions(createClients(environment.engine).client, environment.tables)).toEqual([])
})
