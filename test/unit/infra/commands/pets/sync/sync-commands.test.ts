import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPetsCommand } from '../../../../../../infra/commands/pets/pets-command.ts'
import { createColleague } from '../../../../../fixtures/commands/colleague.ts'
import { registerLocalEnvironment, runCommandInProcess } from '../../../../../fixtures/commands/commands.ts'
import { createClients } from '../../../../../fixtures/database/clients.ts'
import { type FaultProxy, startFaultProxy } from '../../../../../fixtures/database/fault-proxy.ts'
import { startNode } from '../../../../../fixtures/machine/node-process.ts'
import { chooseBySize } from '../../../../../fixtures/machine/size.ts'
import { createTemporaryFolder } from '../../../../../fixtures/machine/temporary-folder.ts'

let file: string
let settings: string
let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>
let proxy: FaultProxy | undefined

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
  environment = await registerLocalEnvironment(async (endpoint) => {
    proxy = await startFaultProxy(endpoint)
    return proxy
  })
})

afterEach(() => proxy?.[Symbol.asyncDispose]())

const run = (...words: readonly string[]) =>
  runCommandInProcess(createPetsCommand(), [...words, ...environment.options])

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

it('pets sync takes no standard input, and no first load without --accept-changes', async () => {
  expect(await run('sync', '-', '--source', settings)).toMatchObject({ exitCode: 2, output: '' })
  expect(await run('sync', file, '--source', settings)).toMatchObject({ exitCode: 4, output: '' })
})

it('pets sync --reread brings the list to the file after pets restore of an older export', async () => {
  await run('sync', file, '--source', settings, '--accept-changes')
  const backup = `${file}.jsonl`
  await run('export', '--out', backup)
  writeFileSync(file, 'Number,Name,Kind,State\nN1,Bella II,Dog,Ready\n')
  await run('sync', file, '--source', settings)
  await run('restore', backup)

  const { output } = await run('sync', file, '--source', settings, '--reread')

  expect(output).toContain('oak-lane: 1 in file, 0 new, 1 changed, 1 gone')
  expect(output).toMatch(/\nN1 \(pet \d+\): the file replaces name "Bella" by "Bella II"\.\n/)
  const listed = await run('list')
  expect(listed.output.trimEnd().split('\n')).toEqual([expect.stringContaining('Bella II')])
  const again = await run('sync', file, '--source', settings, '--reread')
  expect(again.output).toContain('oak-lane: 1 in file, 0 new, 0 changed, 0 gone')
})

/** Names of the animals of a shelter by their numbers. */
type Shelter = ReadonlyMap<number, string>

const writeShelter = (shelter: Shelter): void => {
  const lines = [...shelter].map(([number, name]) => `N${number},${name},Dog,Ready\n`)
  writeFileSync(file, `Number,Name,Kind,State\n${lines.join('')}`)
}

/** Runs `pets sync` in a process that is killed some milliseconds after one of its calls, unless it ends before. */
const runKilled = async ({ call, milliseconds }: { readonly call: number; readonly milliseconds: number }) => {
  const words = ['sync', file, '--source', settings, ...environment.options]
  const { child, ended } = startNode(['infra/commands/run.ts', 'pets', ...words])
  let calls = 0
  if (proxy === undefined) throw new Error('There is no proxy.')
  proxy.chooseFault = () => {
    calls += 1
    if (calls === call) setTimeout(() => child.kill('SIGKILL'), milliseconds)
    return undefined
  }
  await ended
}

it('pets sync that is killed again and again in a night becomes what the shelter has', {
  timeout: 120_000,
}, async () => {
  const firstNight = new Map(Array.from({ length: 150 }, (_, number) => [number, `Dog ${number}`]))
  writeShelter(firstNight)
  expect(await run('sync', file, '--source', settings, '--accept-changes')).toMatchObject({ exitCode: 0 })
  const colleague = createColleague(createClients(environment.engine).client, environment.tables.pets)
  const firstPets = new Map((await colleague.list()).map(({ id, name }) => [name, id]))

  // Twenty animals leave, fifty get another name, and forty are new.
  const stays = [...firstNight].slice(20).map(([number, name]) => [number, number < 70 ? `${name} II` : name] as const)
  const arrivals = Array.from({ length: 40 }, (_, index) => [200 + index, `Pup ${index}`] as const)
  writeShelter(new Map([...stays, ...arrivals]))
  const kills = fc.record({ call: fc.integer({ min: 1, max: 10 }), milliseconds: fc.integer({ min: 0, max: 30 }) })
  for (const kill of fc.sample(kills, chooseBySize(2, 8))) await runKilled(kill)
  if (proxy !== undefined) proxy.chooseFault = () => undefined

  expect(await run('sync', file, '--source', settings)).toMatchObject({ errors: '', exitCode: 0 })
  const pets = await colleague.list()
  expect(pets.map(({ name }) => name).toSorted()).toEqual([...stays, ...arrivals].map(([, name]) => name).toSorted())
  for (const { id, name } of pets) {
    const firstId = firstPets.get(name.replace(' II', ''))
    if (firstId !== undefined) expect(id, name).toBe(firstId)
  }
})
